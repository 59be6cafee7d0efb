// A page of a server: it hears of changes, and shows them without moving what is being read.

const liveState = document.getElementById("live-state");
liveState.hidden = false;
const showState = (tone, sign, text, details = text) => {
  if (liveState.dataset.text === details) return;
  liveState.dataset.text = details;
  liveState.className = `live ${tone}`;
  liveState.title = details;
  liveState.replaceChildren(element("i", { "aria-hidden": "true" }, sign), text);
};

/** What the page knows, as the server numbers it. */
let heardOf = live.place;
/** Whether a page that is no list shows less than is known. */
let isPageOld = false;

const unmoved = (index) => index;

/** Takes over what a server-sent event says. */
const takeChange = async ({ events, firstEvent, position, lists: changes = {}, facts }) => {
  if (facts) meta = { ...facts, head: Math.max(facts.head, meta.head) };
  meta.head = Math.max(meta.head, position);
  meta.firstEvent = firstEvent;
  const moves = {};
  for (const [name, change] of Object.entries(changes)) moves[name] = lists[name].apply(change);
  moves.events = takeEvents(events, firstEvent);
  if (events.length > 0) meta.newestTime = lists.events.get(lists.events.count - 1)[2].time;
  known.clear();
  await showChanges(moves);
};

/** Adds events, and leaves out those that the server no longer has. */
const takeEvents = (events, firstEvent) => {
  const removed = [];
  // An element for each of them would cost as much as reading all, so it is done seldom.
  const oldest = lists.events.count > 0 ? lists.events.get(0)[2].position : firstEvent;
  if (firstEvent > oldest + 1_000) {
    for (let index = 0; index < lists.events.count && lists.events.get(index)[2].position < firstEvent; index += 1) removed.push(index);
  }
  return lists.events.apply({ removed, added: events });
};

const showChanges = async (moves) => {
  for (const tab of document.querySelectorAll("nav a")) {
    const list = lists[tab.dataset.part], count = tab.querySelector(".count");
    if (list) count.textContent = number(list.count);
  }
  showCaption();
  if (view) {
    if (moves[view.name]) await view.refresh(moves[view.name]);
    else known.clear();
  } else {
    isPageOld = true;
    showPageAgain();
  }
};

/** Shows a page that is no list anew, unless the reader has hold of something in it. */
const showPageAgain = () => {
  if (!isPageOld || !pageAgain) return;
  if (String(getSelection()) || document.querySelector("dialog[open]")) return;
  const { scrollTop } = main;
  const open = [...main.querySelectorAll("details")].map((part) => part.open);
  const focused = main.contains(document.activeElement) ? document.activeElement : null;
  const name = focused && (focused.getAttribute("href") ?? focused.dataset.verb ?? focused.getAttribute("aria-label"));
  isPageOld = false;
  pageAgain();
  main.scrollTop = scrollTop;
  [...main.querySelectorAll("details")].forEach((part, index) => { part.open = open[index] ?? false; });
  if (!focused || focused === main) return;
  [...main.querySelectorAll("a, button")].find((other) =>
    name === (other.getAttribute("href") ?? other.dataset.verb ?? other.getAttribute("aria-label")))?.focus({ preventScroll: true });
};
document.addEventListener("selectionchange", showPageAgain);
document.addEventListener("close", showPageAgain, true);

/** Loads all lists anew: the page was away for too long. */
const loadAgain = async () => {
  const answer = await fetch("/", { headers: { Authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error("no page");
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  meta = JSON.parse(page.getElementById("meta").textContent);
  heardOf = JSON.parse(page.getElementById("live").textContent).place;
  const moves = {};
  for (const [name, list] of Object.entries(lists)) {
    list.blocks = [];
    list.count = 0;
    for (const block of page.querySelectorAll(`script[data-list="${name}"]`)) list.append(block.textContent, Number(block.dataset.lines));
    list.states = null;
    moves[name] = (index) => (index < list.count ? index : -1);
  }
  known.clear();
  await showChanges(moves);
};

// --- The feed ---

/** Reads server-sent events. It is no EventSource, which cannot send the token but in its address. */
const readFeed = async (answer, heard) => {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const fields = Object.fromEntries(part.split("\n").map((line) => {
        const colon = line.indexOf(": ");
        return [line.slice(0, colon), line.slice(colon + 2)];
      }));
      await heard(fields.event, fields.data ? JSON.parse(fields.data) : null, fields.id);
    }
  }
};

let feed = null;
let hasEnded = false;
/** A server that says nothing for this long, in milliseconds, is gone: it has a heartbeat. */
const longestSilence = 20_000;

const follow = async () => {
  let wait = 250;
  while (!hasEnded && !document.hidden) {
    feed = new AbortController();
    let silence = setTimeout(() => feed.abort(), longestSilence);
    try {
      const answer = await fetch("/feed", {
        headers: { Authorization: `Bearer ${token}`, "Last-Event-ID": heardOf }, signal: feed.signal,
      });
      if (answer.status === 403) return end("This page is of a server that has ended. Open the address that the new one printed.");
      if (!answer.ok) throw new Error(answer.statusText);
      await readFeed(answer, async (event, data, id) => {
        clearTimeout(silence);
        silence = setTimeout(() => feed.abort(), longestSilence);
        wait = 250;
        if (event === "end") return end(data.message);
        showState("good", "●", "Live", "Changes are shown as they come");
        if (event === "reset") return loadAgain();
        if (event === "change") {
          await takeChange(data);
          heardOf = id;
        }
      });
    } catch { /* It is tried again. */ }
    clearTimeout(silence);
    if (hasEnded || document.hidden) break;
    showState("idle", "◔", "Reconnecting…", "The server cannot be reached. The page tries again.");
    await new Promise((resume) => setTimeout(resume, wait));
    wait = Math.min(wait * 2, 5_000);
  }
  feed = null;
};

const end = (message) => {
  hasEnded = true;
  showState("bad", "✕", "Ended", message);
  document.getElementById("main").before(element("p", { class: "note ended", role: "alert" }, `${visible(message)} This page no longer changes.`));
};

// A page that nobody sees gives up its connection: a browser has only a few for one server.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) feed?.abort();
  else if (!feed) follow();
});
follow();
