// The data of the page: lists of lines of JSON, in blocks. A line is parsed only when it is shown.
//
// A line is `[state, cells, object]`; the state is the first text of the line.

class LineList {
  constructor(name) {
    this.name = name;
    this.blocks = [];
    this.count = 0;
    for (const element of document.querySelectorAll(`script[data-list="${name}"]`)) {
      this.append(element.textContent, Number(element.dataset.lines));
      element.remove();
    }
  }

  append(text, count) {
    this.blocks.push({ text, first: this.count, count, starts: null });
    this.count += count;
    this.states = null;
  }

  /**
   * Takes changes over: lines that changed, by their numbers, then numbers of lines that are gone, then new lines.
   * Returns a function from the old number of a line to its new one, -1 if it is gone.
   */
  apply({ changed = [], removed = [], added = [] }) {
    const replaced = new Map(changed), gone = new Set(removed), kept = [];
    for (const block of this.blocks) {
      const isTouched = (index) => replaced.has(index) || gone.has(index);
      const numbers = [...Array(block.count).keys()].map((local) => block.first + local);
      if (!numbers.some(isTouched)) { kept.push([block.text, block.count]); continue; }
      const lines = numbers.filter((index) => !gone.has(index)).map((index) => replaced.get(index) ?? this.line(index));
      kept.push([lines.map((line) => `${line}\n`).join(""), lines.length]);
    }
    // Few large blocks are searched faster than many small ones.
    const last = kept.at(-1);
    const text = added.map((line) => `${line}\n`).join("");
    if (last && last[0].length < 1 << 18) { last[0] += text; last[1] += added.length; } else kept.push([text, added.length]);
    this.blocks = [];
    this.count = 0;
    this.states = null;
    for (const [text, count] of kept) if (count > 0) this.append(text, count);
    const sorted = [...gone].sort((one, other) => one - other);
    return (index) => (gone.has(index) ? -1 : index - sorted.filter((other) => other < index).length);
  }

  /** The beginnings of the lines of a block. */
  starts(block) {
    if (block.starts) return block.starts;
    const starts = new Uint32Array(block.count + 1);
    let position = 0;
    for (let index = 0; index < block.count; index += 1) {
      starts[index] = position;
      position = block.text.indexOf("\n", position) + 1;
    }
    starts[block.count] = position;
    block.starts = starts;
    return starts;
  }

  block(index) {
    let low = 0, high = this.blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.blocks[middle].first <= index) low = middle; else high = middle - 1;
    }
    return this.blocks[low];
  }

  line(index) {
    const block = this.block(index);
    const starts = this.starts(block);
    const local = index - block.first;
    return block.text.slice(starts[local], starts[local + 1] - 1);
  }

  get(index) { return JSON.parse(this.line(index)); }

  /** The states of all lines, as numbers, and their names. */
  allStates() {
    if (this.states) return this.states;
    const numbers = new Map(), of = new Uint8Array(this.count), counts = [];
    for (const block of this.blocks) {
      const starts = this.starts(block);
      for (let local = 0; local < block.count; local += 1) {
        const start = starts[local] + 2;
        const name = block.text.slice(start, block.text.indexOf('"', start));
        if (!numbers.has(name)) { numbers.set(name, numbers.size); counts.push(0); }
        const number = numbers.get(name);
        of[block.first + local] = number;
        counts[number] += 1;
      }
    }
    this.states = { names: [...numbers.keys()], numbers, of, counts };
    return this.states;
  }

  /** Calls `found` with the number of each line of a block that contains a text. */
  find(block, pattern, found) {
    const starts = this.starts(block);
    pattern.lastIndex = 0;
    for (;;) {
      const match = pattern.exec(block.text);
      if (!match) return;
      let low = 0, high = block.count - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (starts[middle] <= match.index) low = middle; else high = middle - 1;
      }
      found(block.first + low);
      pattern.lastIndex = starts[low + 1];
    }
  }

  /** The numbers of the lines that contain a text as it is, at most `limit`. */
  lines(text, limit = Infinity) {
    const pattern = new RegExp(escapedForPattern(text), "gu"), found = [];
    for (const block of this.blocks) {
      this.find(block, pattern, (index) => found.push(index));
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }
}

const escapedForPattern = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** A text as it stands within the JSON of the lines. */
const asStored = (text) =>
  text.replace(/[\\"]/g, "\\$&").replace(/[<\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()].map((unit) =>
      "\\u" + character.charCodeAt(unit).toString(16).padStart(4, "0")).join(""));

/** The words of a search; those in quotation marks stay together. */
const searchWords = (text) =>
  [...text.matchAll(/"([^"]+)"?|\S+/g)].map((match) => match[1] ?? match[0]).filter((word) => word);

let meta = JSON.parse(document.getElementById("meta").textContent);

/** What a server says besides; `null` in a file. */
const live = JSON.parse(document.getElementById("live")?.textContent ?? "null");
const pageTitle = live ? "Live ledger" : "Ledger report";
const lists = Object.fromEntries(
  ["promises", "work", "handlers", "sessions", "events"].map((name) => [name, new LineList(name)]));

const singular = {
  promises: "promise", work: "work", handlers: "handler", sessions: "session", events: "event",
};

/** What has an id: the name of its list, its number in it, and its line. */
const known = new Map();
const find = (id) => {
  if (known.has(id)) return known.get(id);
  let found = null;
  for (const name of ["work", "promises", "handlers", "sessions"]) {
    for (const index of lists[name].lines(`"id":"${id}"`, 50)) {
      const line = lists[name].get(index);
      if (line[2].id === id) { found = { list: name, index, state: line[0], cells: line[1], record: line[2] }; break; }
    }
    if (found) break;
  }
  known.set(id, found);
  return found;
};

/** The event at a position; `null` if it was left out. */
const eventAt = (position) => {
  const list = lists.events;
  let low = 0, high = list.count - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const event = list.get(middle)[2];
    if (event.position === position) return event;
    if (event.position < position) low = middle + 1; else high = middle - 1;
  }
  return null;
};
