// Addresses, keys, and the theme.

const tabs = [
  ["overview", "Overview"], ["promises", "Promises"], ["work", "Work"], ["handlers", "Handlers"],
  ["sessions", "Sessions"], ["events", "Events"], ["growth", "Growth"],
];
const main = document.getElementById("main");
let view = null;
/** Where the reader was in the lists, by address, for the way back. */
const places = new Map();
let address = "";
/** Shows a page that is no list once more, with what is new. */
let pageAgain = null;

const route = () => {
  pageAgain = null;
  if (view) { places.set(address, { top: view.scroller.scrollTop, selected: view.selected }); view.close(); view = null; }
  address = location.hash;
  const [path, query = ""] = address.replace(/^#\/?/, "").split("?");
  const [part = "", argument = ""] = path.split("/");
  main.className = "";
  let title;
  if (part === "id") pageAgain = () => showThing(main, decodeURIComponent(argument));
  else if (part === "event") pageAgain = () => showEvent(main, Number(argument));
  else if (part === "growth") pageAgain = () => showGrowth(main);
  else if (part !== "events" && !(part in lists)) pageAgain = () => showOverview(main);
  if (pageAgain) title = pageAgain();
  else {
    view = new ListView(part, new URLSearchParams(query));
    view.show(main);
    title = tabs.find(([name]) => name === part)[1];
    const place = places.get(address);
    if (place) { view.scroller.scrollTop = place.top; view.selected = place.selected; view.rows.clear(); view.draw(); }
  }
  document.title = `${title} · ${pageTitle}`;
  const listOfThing = part === "id" ? find(argument)?.list : part === "event" ? "events" : null;
  for (const tab of document.querySelectorAll("nav a")) {
    const name = tab.dataset.part;
    const isHere = name === (listOfThing ?? (part === "" ? "overview" : part));
    if (isHere) {
      tab.setAttribute("aria-current", "page");
      tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else tab.removeAttribute("aria-current");
  }
  if (!view) main.scrollTop = 0;
  announce(title);
};

document.getElementById("tabs").append(...tabs.map(([name, title]) => element("a", { href: `#/${name}`, "data-part": name }, title,
  lists[name] ? element("span", { class: "count" }, number(lists[name].count)) : null)));
const showCaption = () => {
  const time = live ? "" : ` · ${meta.generatedAt.slice(0, 19).replace("T", " ")} UTC`;
  document.getElementById("of").textContent = `${visible(meta.path)} · ledger ${meta.ledger}${time}`;
};
showCaption();

// --- Theme ---

const themes = ["system", "light", "dark"];
const themeButton = document.getElementById("theme");
const setTheme = (theme) => {
  if (theme === "system") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = theme;
  themeButton.textContent = `Theme: ${theme}`;
  // A file may have no storage.
  try { localStorage.setItem("theme", theme); } catch { /* The theme lasts as long as the page. */ }
};
const nextTheme = () =>
  setTheme(themes[(themes.indexOf(document.documentElement.dataset.theme ?? "system") + 1) % themes.length]);
themeButton.addEventListener("click", nextTheme);
let storedTheme = null;
try { storedTheme = localStorage.getItem("theme"); } catch { /* As above. */ }
setTheme(themes.includes(storedTheme) ? storedTheme : "system");

// --- Keys ---

const help = document.getElementById("help");
document.getElementById("help-button").addEventListener("click", () => help.showModal());

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const field = event.target.closest?.("input, select, textarea");
  const { key } = event;
  if (field && key === "Escape") {
    if (view && field.value) view.key("Escape"); else field.blur();
    return event.preventDefault();
  }
  if (field && key === "Enter" && view) {
    view.searchAgain();
    field.blur();
    view.scroller.focus();
    return event.preventDefault();
  }
  if (field) return;
  if (key === "/" && view) view.search.focus();
  else if (key === "/") { location.hash = "#/events"; setTimeout(() => view?.search.focus(), 50); }
  else if (key === "?") help.showModal();
  else if (key === "t") nextTheme();
  else if (/^[1-7]$/.test(key)) location.hash = `#/${tabs[Number(key) - 1][0]}`;
  else if (key === "Enter" && event.target.closest?.("a, button, summary")) return;
  else if (view?.key(key)) { /* The list took it. */ }
  else if (key === "Escape" && address && address !== "#/overview") history.back();
  else return;
  event.preventDefault();
});

addEventListener("hashchange", route);
addEventListener("beforeprint", () => view?.beforePrint());
addEventListener("afterprint", () => view?.afterPrint());
route();
