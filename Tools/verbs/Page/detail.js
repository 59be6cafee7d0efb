// The page for one promise, work, handler, session or event.

const shownEvents = 200, shownCharacters = 20_000, shownChildren = 50;

/** Events that name an id: its own, and those of others. */
const eventsAbout = (id) => {
  const own = [], others = [];
  const limit = 5_000;
  const indices = lists.events.lines(id, limit);
  for (const index of indices) {
    const line = lists.events.get(index);
    const event = { ...line[2], words: line[1][5] };
    (event.subject === id ? own : others).push(event);
  }
  return { own, others, isCut: indices.length === limit };
};

/** A payload as people read it: JSON indented, text as it is, bytes in hexadecimal digits. */
const payload = (text, isHexadecimal = false) => {
  let shown = text;
  if (!isHexadecimal) {
    try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch { /* It is text. */ }
  }
  const block = element("pre", { class: "mono", tabindex: "0" }, visibleLines(shown.slice(0, shownCharacters)));
  if (shown.length <= shownCharacters) return block;
  return element("div", {}, block, element("button", {
    type: "button", class: "copy",
    click: (event) => { block.textContent = visibleLines(shown); event.currentTarget.remove(); },
  }, `Show all ${number(shown.length)} characters`));
};

const factOrder = [
  "id", "key", "label", "handlerKind", "state", "workState", "outcome", "typeTag", "value", "valueInHex", "error",
  "reason", "created", "resolved", "consumed", "abandoned", "since", "presence", "parent", "arguments", "attempts",
];
const payloads = new Set(["value", "valueInHex", "payloadInHex"]);

/** A value of a record or an event as elements. */
const fact = (name, value) => {
  if (typeof value === "string") {
    if (payloads.has(name)) return payload(value, name.endsWith("InHex"));
    if (name === "call") return element("span", { class: "mono" }, value);
    if (isID(value)) return name === "id" ? element("span", { class: "mono" }, value, copyButton(value, "the id")) : thing(value);
    if (isTime(value)) return element("span", {}, timeElement(value), element("span", { class: "quiet" }, `  ${agoWords(value)}`));
    if (["state", "outcome", "workState", "liveness"].includes(name)) return stateElement(value === "timedOut" ? "timed out" : value);
    return value.length > 300 ? payload(value) : visible(value);
  }
  if (typeof value === "number") return number(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) {
    if (value.length === 0) return "none";
    const shown = value.slice(0, shownChildren).map((item) => element("div", {}, fact("", item)));
    if (value.length > shownChildren) shown.push(element("div", { class: "quiet" }, `and ${number(value.length - shownChildren)} more`));
    return element("div", {}, shown);
  }
  if (value && typeof value.time === "string" && typeof value.position === "number" && Object.keys(value).length <= 3) {
    return element("span", {}, timeElement(value.time), element("span", { class: "quiet" }, `  ${agoWords(value.time)}, `),
      element("a", { href: `#/event/${value.position}` }, `event ${number(value.position)}`),
      value.session ? [" by ", link(value.session, nameOf(value.session))] : null);
  }
  if (typeof value.typeTag === "string" && "value" in value && Object.keys(value).length === 2) {
    const id = /^"(.{36})"$/.exec(value.value)?.[1];
    return element("div", {}, id && isID(id) ? thing(id) : payload(value.value), element("div", { class: "quiet" }, visible(value.typeTag)));
  }
  return facts(value);
};

const facts = (object) => {
  const place = (name) => (factOrder.indexOf(name) + 100) % 100 + (factOrder.includes(name) ? 0 : 100);
  const isWorthALine = (name) => !(object[name] === false && ["isOverdue", "isStale"].includes(name));
  const names = Object.keys(object).filter(isWorthALine).sort((one, other) => place(one) - place(other) || one.localeCompare(other));
  return element("dl", { class: "facts" }, names.flatMap((name) => [
    element("dt", {}, visible(payloads.has(name) && name.endsWith("InHex") ? `${words(name.slice(0, -5))} in hexadecimal` : words(name))),
    element("dd", {}, fact(name, object[name]))]));
};

// --- Relations ---

const records = ["work", "promises", "handlers"];

/** The ids of the records that have a text in their line, but for one. */
const naming = (text, except, limit) => {
  const ids = [];
  for (const name of records) {
    for (const index of lists[name].lines(text, limit + 1)) {
      const id = lists[name].get(index)[2].id;
      if (id !== except && ids.length < limit) ids.push(id);
    }
  }
  return ids;
};

const childrenOf = (id) => naming(`"parent":"${id}"`, id, shownChildren);

const awaitedBy = (record) => [...new Set([
  record.awaitedPromise, ...(record.awaitedPromises ?? []), ...(record.inputs ?? []),
].filter((id) => typeof id === "string" && isID(id)))];

const branch = (role, id, children) => element("li", {},
  element("span", { class: "role" }, role), thing(id), children && children.length > 0 ? element("ul", {}, children) : null);

/** What something started and awaits, and so on, each id once. */
const below = (id, seen, depth) => {
  if (depth > 4) return [];
  const found = find(id);
  if (!found) return [];
  const next = [
    ...childrenOf(id).map((child) => ["child", child]), ...awaitedBy(found.record).map((awaited) => ["awaits", awaited]),
  ];
  return next.flatMap(([role, other]) => {
    if (seen.has(other) || seen.size > 300) return [];
    seen.add(other);
    return [branch(role, other, below(other, seen, depth + 1))];
  });
};

const relations = (id, record) => {
  const seen = new Set([id]), ancestors = [];
  for (let parent = record.parent; parent && !seen.has(parent) && ancestors.length < 20; parent = find(parent)?.record.parent) {
    ancestors.unshift(parent);
    seen.add(parent);
  }
  const referred = [...(record.promises ?? []), ...(record.handlers ?? [])].filter((other) => other !== id);
  const lower = below(id, seen, 0);
  const refers = referred.slice(0, shownChildren).map((other) => branch("refers to", other));
  const others = naming(id, id, shownChildren).filter((other) => !seen.has(other) && !referred.includes(other))
    .map((other) => branch("named by", other));
  const self = element("li", {}, element("strong", {}, nameOf(id)), element("ul", {}, lower, refers, others));
  if (ancestors.length + lower.length + refers.length + others.length === 0) return null;
  const tree = ancestors.reduceRight((inner, ancestor) =>
    element("li", {}, element("span", { class: "role" }, "parent"), thing(ancestor), element("ul", {}, inner)), self);
  return element("section", { class: "panel" }, element("h3", {}, "Relations"), element("ul", { class: "tree" }, tree));
};

// --- Pages ---

const eventTable = (title, events, address, isCut) => {
  if (events.length === 0) return null;
  const rows = events.slice(-shownEvents).map((event) => element("tr", {},
    element("td", { class: "right" }, element("a", { href: `#/event/${event.position}` }, number(event.position))),
    element("td", { class: "when" }, timeElement(event.time)), element("td", { class: "kind" }, visible(event.kind)),
    element("td", {}, visible(event.words)),
    element("td", { class: "kind" }, link(event.session, nameOf(event.session)))));
  const hidden = events.length - rows.length;
  return element("section", { class: "panel wide" },
    element("h3", {}, `${title} (${number(events.length)}${isCut ? " or more" : ""})`),
    element("table", { class: "events" },
      element("thead", {}, element("tr", {}, ["Position", "Time", "Kind", "Details", "Session"].map((name, index) =>
        element("th", { scope: "col", class: index === 0 ? "right" : null }, name)))),
      element("tbody", {}, rows)),
    hidden > 0 || isCut ? element("p", {}, `The newest ${rows.length} are shown. `, element("a", { href: address }, "All of them")) : null);
};

const spansWithChildren = (id, own) => {
  const spans = spansOf(id, own);
  let children = 0;
  const add = (parent, depth) => {
    if (depth > 3) return;
    for (const child of childrenOf(parent)) {
      if (spans.length > longestWaterfall) return;
      children += 1;
      const life = spansOf(child, eventsAbout(child).own, depth);
      if (life.length === 0) continue;
      const start = Math.min(...life.map((span) => span.start)), end = Math.max(...life.map((span) => span.end));
      const found = find(child);
      spans.push({
        id: child, depth: depth - 1, name: `${singular[found.list]} ${nameOf(child)}`, link: true, start, end,
        tone: ["good", "bad"].includes(stateTone(found.state)) ? stateTone(found.state) : "wait",
        outcome: found.state, isOpen: life.some((span) => span.isOpen), session: found.record.created?.session,
      }, ...life.filter((span) => span.isBusy).map((span) => ({ ...span, depth })));
      add(child, depth + 1);
    }
  };
  add(id, 1);
  const hidden = Math.max(0, spans.length - longestWaterfall);
  return waterfall(spans.slice(0, longestWaterfall), hidden > 0 ? `${number(hidden)} later parts are not drawn.` : null);
};

const commandsFor = (found, id) => {
  const verbs = found.list === "sessions" ? ["show"] : found.list === "work" ? ["explain", "trace"] : ["explain", "show"];
  return element("div", { class: "commands" }, verbs.map((verb) => {
    const command = `${meta.tool} ${verb} ${meta.shellPath} ${id}${meta.shellOptions}`;
    return element("div", {}, element("code", { class: "mono", title: command }, visible(command)), copyButton(command, "the command"));
  }));
};

const showThing = (main, id) => {
  const found = find(id);
  if (!found) {
    main.replaceChildren(element("h2", {}, "Not on this page"), element("p", { class: "mono" }, visible(id)),
      element("p", {}, Object.values(meta.leftOut).filter(Boolean).join(" ") || "The ledger has no such record."),
      eventTable("Events that name it", [...eventsAbout(id).own, ...eventsAbout(id).others], `#/events?q=${encodeURIComponent(id)}`) ?? "");
    return `${id} is not on this page`;
  }
  const { own, others, isCut } = eventsAbout(id);
  const { record, list } = found;
  const title = `${singular[list]} ${nameOf(id)}`;
  main.replaceChildren(
    element("div", { class: "head" }, element("h2", {}, title), stateElement(found.state),
      element("span", { class: "quiet" }, visible(record.handlerKind ?? record.typeTag ?? record.role ?? ""))),
    actionsFor(found, id) ?? "",
    commandsFor(found, id),
    list === "sessions" ? "" : spansWithChildren(id, own) ?? "",
    element("div", { class: "columns" },
      element("section", { class: "panel" }, element("h3", {}, "Facts"), facts(record)),
      element("div", {}, (list === "sessions" ? null : relations(id, record))
        ?? element("section", { class: "panel" }, element("h3", {}, "Relations"), element("p", { class: "quiet" }, "None on this page.")))),
    eventTable("Its events", own, `#/events?q=${id}`, isCut) ?? "",
    eventTable(list === "sessions" ? "Events that it wrote" : "Events that name it", others, `#/events?q=${id}`, isCut) ?? "");
  return title;
};

const showEvent = (main, position) => {
  const event = eventAt(position);
  if (!event) {
    main.replaceChildren(element("h2", {}, `Event ${number(position)}`), element("p", {}, meta.leftOut.events ?? "There is no such event."));
    return `Event ${position}`;
  }
  const neighbour = (other, name) => (other < meta.firstEvent || other > meta.head ? null
    : element("a", { href: `#/event/${other}`, class: "copy" }, name));
  const head = { subject: event.subject, session: event.session, time: event.time, version: event.version };
  const caused = lists.events.lines(`"cause":${position},`, 20).map((index) => lists.events.get(index)[2]);
  main.replaceChildren(
    element("div", { class: "head" }, element("h2", {}, `Event ${number(position)}: ${visible(event.kind)}`)),
    element("p", {}, neighbour(position - 1, "← Before"), neighbour(position + 1, "After →")),
    element("section", { class: "panel" }, element("h3", {}, "Event"), facts(head),
      event.cause ? element("p", {}, "Caused by ", element("a", { href: `#/event/${event.cause}` }, `event ${number(event.cause)}`)) : null,
      caused.length > 0 ? element("p", {}, "Led to ", caused.map((other, index) => [index ? ", " : "",
        element("a", { href: `#/event/${other.position}` }, `${number(other.position)} ${visible(other.kind)}`)]).flat()) : null),
    element("section", { class: "panel" }, element("h3", {}, "Content"),
      Object.keys(event.details).length > 0 ? facts(event.details) : element("p", { class: "quiet" }, "None.")));
  return `Event ${position}`;
};
