// A life drawn along time: the waits, attempts, steps and calls of one thing, and the work it started.

const longestWaterfall = 300;

/** The spans of the life of a promise, work or handler, from its own events. */
const spansOf = (id, events, depth = 0) => {
  const spans = [], found = find(id);
  const open = new Map();
  let idleSince = null;
  const add = (span) => { spans.push({ id, depth, ...span }); return spans.at(-1); };
  const time = (event) => milliseconds(event.time);
  const isWork = found?.list === "work";
  const endIdle = (event) => {
    if (idleSince === null) return;
    if (time(event) > idleSince.start) add({ ...idleSince, end: time(event) });
    idleSince = null;
  };
  const end = (key, event, tone, outcome) => {
    const span = open.get(key);
    if (!span) return null;
    open.delete(key);
    return Object.assign(span, { end: time(event), tone, outcome });
  };
  for (const event of events) {
    const details = event.details;
    switch (event.kind) {
      case "promiseCreated":
        if (isWork) {
          idleSince = { name: idleWords(details, "waits to be run"), start: time(event), tone: details.dueTime || details.awaitedPromise ? "wait" : "idle", session: event.session };
        } else open.set("life", add({ name: "pending", start: time(event), tone: "wait", session: event.session }));
        break;
      case "workStarted":
        endIdle(event);
        open.set("attempt", add({ name: `attempt ${details.attempt}`, start: time(event), tone: "busy", session: event.session, isBusy: true }));
        break;
      case "workStepFinished":
        add({
          name: `step ${visible(details.step)}`, start: milliseconds(details.startedAt), end: time(event), session: event.session,
          tone: details.outcome === "value" ? "good" : "bad", outcome: details.outcome, isBusy: true, isInner: true,
        });
        break;
      case "workReleased":
        end("attempt", event, ["died", "retrying", "parked"].includes(details.reason) ? "bad" : "busy", details.reason);
        idleSince = {
          name: idleWords(details, details.reason === "died" ? "waits after its process died" : `waits: ${words(details.reason ?? "")}`),
          start: time(event), tone: "wait", session: event.session,
        };
        break;
      case "promiseResolved": {
        const tone = details.outcome === "fulfilled" ? "good" : "bad";
        endIdle(event);
        end("attempt", event, tone, details.outcome);
        end("life", event, tone, details.outcome);
        add({ name: details.outcome === "timedOut" ? "timed out" : details.outcome, start: time(event), end: time(event), tone, session: event.session, isPoint: true });
        if (found?.record.lifetime !== "untilSettled") {
          open.set("result", add({ name: "waits for its consumer", start: time(event), tone: "idle", session: event.session }));
        }
        break;
      }
      case "promiseConsumed": case "promiseAbandoned": {
        const name = event.kind === "promiseConsumed" ? "consumed" : "abandoned";
        end("result", event, "idle", name);
        end("life", event, "idle", name);
        add({ name, start: time(event), end: time(event), tone: "idle", session: event.session, isPoint: true });
        break;
      }
      case "handlerCreated":
        add({ name: "created", start: time(event), end: time(event), tone: "idle", session: event.session, isPoint: true });
        break;
      case "handlerCallStarted":
        open.set(details.call, add({ name: `call …${details.call.slice(-8)}, attempt ${details.attempt}`, start: time(event), tone: "busy", session: event.session, isBusy: true }));
        break;
      case "handlerCallReleased":
        end(details.call, event, "bad", `given back: ${details.reason}`);
        break;
      case "handlerCallFinished": case "handlerInvalidationFinished":
        end(details.call, event, details.outcome === "failed" ? "bad" : "good", details.outcome);
        break;
      case "handlerInvalidated":
        if (details.runsCode) open.set(details.call, add({ name: "invalidation code", start: time(event), tone: "busy", session: event.session, isBusy: true }));
        else add({ name: "invalidated", start: time(event), end: time(event), tone: "idle", session: event.session, isPoint: true });
        break;
      default: break;
    }
  }
  const now = milliseconds(meta.newestTime);
  if (idleSince) add({ ...idleSince, end: null });
  for (const span of spans) {
    if (span.end === undefined || span.end === null) Object.assign(span, { end: Math.max(now, span.start), isOpen: true });
  }
  return spans.sort((one, other) => one.start - other.start);
};

const idleWords = (details, otherwise) => {
  const reasons = [];
  if (details.retryTime) reasons.push(`to be tried again at ${details.retryTime.slice(0, 19).replace("T", " ")}`);
  if (details.dueTime) reasons.push(`waits until ${details.dueTime.slice(0, 19).replace("T", " ")}`);
  const awaited = [details.awaitedPromise, ...(details.awaitedPromises ?? [])].filter(Boolean);
  if (awaited.length > 0) reasons.push(`waits for ${awaited.slice(0, 3).map(nameOf).join(" or ")}`);
  return reasons.join(", or ") || otherwise;
};

/** A scale of time. Times in which nothing runs are folded when they are long beside the others. */
class Scale {
  constructor(spans) {
    const busy = spans.filter((span) => span.isBusy).map((span) => [span.start, span.end]);
    busy.sort((one, other) => one[0] - other[0]);
    const merged = [];
    for (const [start, end] of busy) {
      const last = merged.at(-1);
      if (last && start <= last[1]) last[1] = Math.max(last[1], end); else merged.push([start, end]);
    }
    this.start = Math.min(...spans.map((span) => span.start));
    this.end = Math.max(...spans.map((span) => span.end));
    const busyLength = merged.reduce((sum, [start, end]) => sum + end - start, 0);
    const cuts = [...new Set(spans.flatMap((span) => [span.start, span.end]))].sort((one, other) => one - other);
    this.parts = [];
    let last = this.start;
    const idle = (until) => {
      for (const cut of [...cuts.filter((time) => time > last && time < until), until]) {
        if (cut > last) this.parts.push({ start: last, end: cut, isFolded: busyLength > 0 && (cut - last) * 3 > busyLength });
        last = cut;
      }
    };
    for (const [start, end] of merged) {
      idle(start);
      if (end > last) this.parts.push({ start: last, end, isFolded: false });
      last = Math.max(last, end);
    }
    idle(this.end);
    const folds = this.parts.filter((part) => part.isFolded).length;
    const plain = this.parts.filter((part) => !part.isFolded).reduce((sum, part) => sum + part.end - part.start, 0);
    const foldWidth = folds > 0 ? Math.min(9, 55 / folds) : 0;
    const rest = 100 - (plain > 0 ? folds * foldWidth : 0);
    let offset = 0;
    for (const part of this.parts) {
      part.offset = offset;
      part.width = part.isFolded ? (plain > 0 ? foldWidth : 100 / folds) : rest * ((part.end - part.start) / plain);
      offset += part.width;
    }
  }

  /** Where a time is, in percent; at both ends there is room for a mark. */
  place(time) { return 1 + 0.98 * this.placeWithoutMargins(time); }

  placeWithoutMargins(time) {
    let place = 0;
    for (const part of this.parts) {
      if (time <= part.start) return part.offset;
      place = part.offset + part.width;
      if (time < part.end) return part.offset + part.width * ((time - part.start) / (part.end - part.start));
    }
    return place;
  }
}

const placed = (made, left, width) => {
  made.style.left = `${left}%`;
  if (width !== undefined) made.style.width = `${width}%`;
  return made;
};

const waterfall = (spans, leftOut) => {
  if (spans.length === 0) return null;
  const scale = new Scale(spans);
  const folds = scale.parts.filter((part) => part.isFolded);
  const foldMarks = () => folds.map((part) => placed(element("span", { class: "fold" }), 1 + 0.98 * part.offset, 0.98 * part.width));
  const head = element("th", { scope: "col", class: "track" },
    placed(element("span", { class: "tick" }, new Date(scale.start).toISOString().slice(11, 23)), 0.5),
    folds.filter((part) => part.width > 7 && part.offset > 14 && part.offset < 80).map((part) =>
      placed(element("span", { class: "tick of-fold", title: "Folded: nothing runs" }, `⋯ ${lengthWords(part.end - part.start)} ⋯`), 1 + 0.98 * part.offset, 0.98 * part.width)),
    element("span", { class: "tick last" }, `+ ${lengthWords(scale.end - scale.start)}`));
  const rows = spans.map((span) => {
    const left = scale.place(span.start), right = scale.place(span.end);
    const bar = element("span", {
      class: `span ${span.isPoint ? "point " : ""}${span.isOpen ? "open " : ""}${span.tone}`, "aria-hidden": "true",
    });
    placed(bar, left, span.isPoint ? undefined : Math.max(right - left, 0.15));
    const length = span.isPoint ? "" : lengthWords(span.end - span.start) + (span.isOpen ? " so far" : "");
    const title = `${span.name}, ${new Date(span.start).toISOString()}${length ? `, ${length}` : ""}${span.outcome ? `, ${words(span.outcome)}` : ""}`;
    const name = span.link ? link(span.id, span.name) : span.name;
    const cell = element("th", { scope: "row", class: span.isInner ? "child-of-attempt" : null, title });
    Object.assign(cell.style, { fontWeight: 400, borderBottom: "0", fontSize: "13px", color: "inherit", overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" });
    if (span.depth > 0) cell.style.paddingLeft = `${8 + (span.depth + (span.isInner ? 1 : 0)) * 14}px`;
    cell.append(name, span.outcome && !span.isPoint ? element("span", { class: "quiet" }, `  ${words(span.outcome)}`) : "");
    return element("tr", { title },
      cell, element("td", { class: "session-cell quiet" }, span.session ? link(span.session, nameOf(span.session)) : ""),
      element("td", { class: "right" }, length), element("td", { class: "track" }, foldMarks(), bar));
  });
  const processes = new Set(spans.map((span) => span.session)).size;
  return element("section", { class: "panel", id: "life" },
    element("h3", {}, `Life: ${number(spans.length)} parts in ${processes === 1 ? "one process" : `${processes} processes`}, ${lengthWords(scale.end - scale.start)}`),
    element("table", { class: "waterfall" },
      element("colgroup", {}, element("col", { class: "name-column" }), element("col", { class: "session-column" }), element("col", { class: "length-column" }), element("col", {})),
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Part"), element("th", { scope: "col", class: "session-cell" }, "Session"), element("th", { scope: "col", class: "right" }, "Length"), head)),
      element("tbody", {}, rows)),
    folds.length > 0 ? element("p", { class: "quiet" }, `Hatched times are folded, because nothing ran in them: ${folds.slice(0, 8).map((part) => lengthWords(part.end - part.start)).join(", ")}${folds.length > 8 ? ", …" : ""}.`) : null,
    leftOut ? element("p", { class: "quiet" }, leftOut) : null);
};
