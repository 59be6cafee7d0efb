// Lists of any length: only the rows in sight are elements.

const columns = {
  promises: [["Name", "20%", "name"], ["State", "120px", "state"], ["Then", "100px", "narrow"], ["Created", "200px", "time"], ["Details"], ["Id", "96px", "id"]],
  work: [["Name", "20%", "name"], ["State", "120px", "state"], ["Kind", "150px", "narrow"], ["Since", "200px", "time"], ["Details"], ["Id", "96px", "id"]],
  handlers: [["Name", "20%", "name"], ["State", "120px", "state"], ["Kind", "150px", "narrow"], ["Created", "200px", "time"], ["Details"], ["Id", "96px", "id"]],
  sessions: [["Instance", "18%", "name"], ["State", "110px", "state"], ["Role", "110px", "narrow"], ["Process", "90px", "right"], ["Last event", "200px", "time"], ["Details"], ["Id", "96px", "id"]],
  events: [["Position", "90px", "right"], ["Time", "200px", "time"], ["Kind", "190px"], ["Subject", "96px", "narrow"], ["Details"]],
};

/** The cells of a row: texts and elements, one for each column. */
const cellsOf = (name, [state, cells, object]) => {
  const named = (text) => (text === "" ? element("span", { class: "quiet" }, "unnamed") : visible(text));
  const end = (id) => element("span", { class: "mono", title: id }, id.slice(-8));
  const time = (text) => (isTime(text) ? timeElement(text, 3) : visible(text));
  switch (name) {
    case "promises": return [named(cells[0]), stateElement(state), visible(object.state), time(cells[4]), visible(cells[5]), end(cells[1])];
    case "work": case "handlers":
      return [named(cells[0]), stateElement(state), visible(cells[3]), time(cells[4]), visible(cells[5]), end(cells[1])];
    case "sessions":
      return [named(cells[0]), stateElement(state), visible(cells[3]), cells[4], time(cells[5]), visible(cells[6]), end(cells[1])];
    default: return [number(object.position), time(object.time), visible(object.kind), end(object.subject), visible(cells[5])];
  }
};

const addressOf = (name, object) =>
  name === "events" ? `#/event/${object.position}` : `#/id/${object.id}`;

class ListView {
  static rowHeight = 34;

  constructor(name, parameters) {
    this.name = name;
    this.list = lists[name];
    this.query = parameters.get("q") ?? "";
    this.states = new Set(parameters.getAll("state"));
    this.selected = -1;
    this.turn = 0;
    this.rows = new Map();
    this.columns = columns[name];
  }

  show(main) {
    main.classList.add("filled");
    this.found = element("span", { class: "found", role: "status" });
    this.search = element("input", {
      type: "search", id: "search", placeholder: `Search ${this.name}  ( / )`, "aria-label": `Search ${this.name}`,
      value: this.query, spellcheck: "false", autocomplete: "off",
      input: () => { clearTimeout(this.timer); this.timer = setTimeout(() => this.searchAgain(), 120); },
    });
    this.chips = element("div", { class: "chips", role: "group", "aria-label": "States" });
    this.body = element("tbody");
    this.table = element("table", { class: "list", "aria-label": this.name },
      element("colgroup", {}, this.columns.map(([, width, role]) =>
        element("col", { class: this.hiding(role), width }))),
      element("thead", {}, element("tr", {}, this.columns.map(([title, , role]) =>
        element("th", { scope: "col", class: this.hiding(role) + (role === "right" ? " right" : "") }, title)))),
      this.body);
    this.scroller = element("div", {
      class: "scroller", tabindex: "0", role: "region", "aria-label": `List of ${this.name}`,
      scroll: () => { cancelAnimationFrame(this.frame); this.frame = requestAnimationFrame(() => this.draw()); },
    }, this.table);
    this.nothing = element("p", { class: "empty", hidden: true });
    main.replaceChildren(
      ...leftOutNote(this.name),
      element("div", { class: "tools" }, this.search, this.chips, this.found), this.scroller);
    this.scroller.append(this.nothing);
    // Events are told newest first.
    this.descends = this.name === "events";
    this.drawChips();
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.scroller);
    this.filter();
  }

  hiding(role) {
    return role === "narrow" || role === "time" ? "narrow-hides" : role === "id" || role === "name" ? `${role}-column` : "";
  }

  close() { this.turn += 1; this.resized.disconnect(); }

  // --- Filtering ---

  drawChips() {
    const { names, counts } = this.list.allStates();
    const order = names.map((name, index) => ({ name, count: counts[index] }));
    if (this.name === "events") {
      const choice = element("select", {
        "aria-label": "Kind of event",
        change: (event) => { this.states = new Set(event.target.value ? [event.target.value] : []); this.changed(); },
      }, element("option", { value: "" }, "All kinds"),
      order.sort((one, other) => one.name.localeCompare(other.name)).map(({ name, count }) =>
        element("option", { value: name, selected: this.states.has(name) }, `${visible(name)} (${number(count)})`)));
      this.chips.replaceChildren(choice);
      return;
    }
    this.chips.replaceChildren(...order.map(({ name, count }) => element("button", {
      type: "button", "aria-pressed": String(this.states.has(name)), "data-state": name,
      click: () => {
        if (!this.states.delete(name)) this.states.add(name);
        this.drawChips();
        this.changed();
      },
    }, stateElement(name), ` ${number(count)}`)));
  }

  searchAgain() { this.query = this.search.value; this.changed(); }

  changed() {
    const parameters = new URLSearchParams();
    if (this.query) parameters.set("q", this.query);
    for (const state of this.states) parameters.append("state", state);
    const text = parameters.toString();
    // So that the address can be copied, without a step back for each letter.
    history.replaceState(null, "", `#/${this.name}${text ? `?${text}` : ""}`);
    this.filter();
  }

  /** Finds the lines, block by block, so that the page never stands still. */
  async filter(place = null) {
    const turn = (this.turn += 1);
    const terms = searchWords(this.query).map((word) =>
      new RegExp(escapedForPattern(asStored(word)), "giu"));
    const { numbers, of } = this.list.allStates();
    const wanted = new Set([...this.states].map((state) => numbers.get(state)));
    const fits = (index) => wanted.size === 0 || wanted.has(of[index]);
    let found = null;
    if (terms.length > 0 || wanted.size > 0) {
      found = [];
      let last = performance.now();
      for (const block of this.list.blocks) {
        if (terms.length === 0) {
          for (let index = block.first; index < block.first + block.count; index += 1) {
            if (fits(index)) found.push(index);
          }
        } else {
          this.list.find(block, terms[0], (index) => {
            if (!fits(index)) return;
            const line = terms.length > 1 ? this.list.line(index) : "";
            if (terms.slice(1).every((term) => { term.lastIndex = 0; return term.test(line); })) found.push(index);
          });
        }
        if (performance.now() - last > 30) {
          await new Promise((resume) => setTimeout(resume));
          if (turn !== this.turn) return;
          last = performance.now();
        }
      }
    }
    this.indices = found;
    this.count = found ? found.length : this.list.count;
    this.selected = place ? this.rowOf(place.selected) : Math.min(this.selected, this.count - 1);
    const total = number(this.list.count);
    this.found.textContent = found ? `${number(this.count)} of ${total}` : total;
    this.table.setAttribute("aria-rowcount", String(this.count + 1));
    // The rows above may be more or fewer; the height of the list has to be right before it is scrolled.
    if (!place) this.scroller.scrollTop = 0;
    this.nothing.hidden = this.count > 0;
    this.nothing.textContent = this.list.count === 0
      ? `There are no ${this.name} on this page.` : "Nothing fits. Press Esc to clear the search.";
    this.rows.clear();
    this.draw();
    if (place?.top >= 0) {
      this.scroller.scrollTop = this.rowOf(place.top) * ListView.rowHeight + place.offset;
      this.draw();
    }
    if (place?.focused >= 0) this.rows.get(this.rowOf(place.focused))?.querySelector("a")?.focus({ preventScroll: true });
  }

  /**
   * Shows lines that changed, and leaves the reader where they are.
   *
   * `moved` gives the new number of a line.
   */
  async refresh(moved) {
    const chip = document.activeElement?.dataset?.state;
    if (!this.chips.contains(document.activeElement) || chip) this.drawChips();
    if (chip) [...this.chips.children].find((other) => other.dataset.state === chip)?.focus();
    const { scrollTop } = this.scroller;
    const numberOf = (row) => (row >= 0 && row < this.count ? moved(this.lineIndex(row)) : -1);
    const first = Math.floor(scrollTop / ListView.rowHeight);
    const focusedRow = [...this.rows].find(([, row]) => row.contains(document.activeElement))?.[0] ?? -1;
    await this.filter({
      // At its beginning, the list shows what is new.
      top: scrollTop > 0 ? numberOf(first) : -1, offset: scrollTop - first * ListView.rowHeight,
      selected: numberOf(this.selected), focused: numberOf(focusedRow),
    });
  }

  /** The row of a line; -1 if it is not among the rows. */
  rowOf(index) {
    if (index < 0) return -1;
    let place = index;
    if (this.indices) {
      let low = 0, high = this.indices.length - 1;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.indices[middle] < index) low = middle + 1; else high = middle;
      }
      if (this.indices[low] !== index) return -1;
      place = low;
    }
    return this.descends ? this.count - 1 - place : place;
  }

  lineIndex(row) {
    const place = this.descends ? this.count - 1 - row : row;
    return this.indices ? this.indices[place] : place;
  }

  // --- Drawing ---

  draw(all = false) {
    if (this.count === undefined) return;
    const height = ListView.rowHeight, margin = 12;
    const first = all ? 0 : Math.max(0, Math.floor(this.scroller.scrollTop / height) - margin);
    const last = all ? Math.min(this.count, 1_000)
      : Math.min(this.count, Math.ceil((this.scroller.scrollTop + this.scroller.clientHeight) / height) + margin);
    const rows = new Map();
    for (let row = first; row < last; row += 1) rows.set(row, this.rows.get(row) ?? this.row(row));
    this.rows = rows;
    const space = (count) => (count > 0 ? [element("tr", { class: "space", "aria-hidden": "true" },
      this.sized(element("td"), count * height))] : []);
    this.body.replaceChildren(...space(first), ...rows.values(), ...space(all ? 0 : this.count - last));
  }

  // The policy of the page forbids attributes with styles, but not this.
  sized(cell, height) { cell.style.height = `${height}px`; return cell; }

  row(row) {
    const line = this.list.get(this.lineIndex(row));
    const made = element("tr", {
      "aria-rowindex": row + 2, "aria-selected": String(row === this.selected),
      click: (event) => { if (!event.target.closest("a") && !String(getSelection())) this.open(row); },
    });
    cellsOf(this.name, line).forEach((cell, index) => {
      const role = this.columns[index][2];
      const classes = [this.hiding(role), role === "right" ? "right" : ""].join(" ").trim();
      const content = index === 0 ? element("a", { href: addressOf(this.name, line[2]), tabindex: "-1" }, cell) : cell;
      const text = typeof cell === "string" ? cell : cell.textContent;
      made.append(element("td", { class: classes || null, title: text.length > 24 ? text.slice(0, 2_000) : null }, content));
    });
    return made;
  }

  // --- Keys ---

  select(row) {
    if (this.count === 0) return;
    const target = Math.max(0, Math.min(this.count - 1, row));
    this.rows.get(this.selected)?.setAttribute("aria-selected", "false");
    this.selected = target;
    const height = ListView.rowHeight, top = target * height, seen = this.scroller.clientHeight - 2 * height;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    if (top > this.scroller.scrollTop + seen) this.scroller.scrollTop = top - seen;
    this.draw();
    const row_ = this.rows.get(target);
    row_?.setAttribute("aria-selected", "true");
    announce([...(row_?.cells ?? [])].slice(0, 3).map((cell) => cell.textContent).join(", "));
  }

  open(row) {
    if (row < 0 || row >= this.count) return;
    location.hash = addressOf(this.name, this.list.get(this.lineIndex(row))[2]);
  }

  key(key) {
    if (key === "j") this.select(this.selected + 1);
    else if (key === "k") this.select(this.selected < 0 ? 0 : this.selected - 1);
    else if (key === "Enter" && this.selected >= 0) this.open(this.selected);
    else if (key === "Escape" && (this.query || this.states.size > 0)) {
      this.search.value = this.query = "";
      this.states.clear();
      this.drawChips();
      this.changed();
    } else return false;
    return true;
  }

  beforePrint() { this.draw(true); }
  afterPrint() { this.draw(); }
}

/** A line that says what is not in a list. */
const leftOutNote = (name) => {
  const text = meta.leftOut[name];
  return text ? [element("p", { class: "note" }, text)] : [];
};
