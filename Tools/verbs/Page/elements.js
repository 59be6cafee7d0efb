// Elements, and texts that are shown. Text from the ledger only ever becomes a text node.

/** Characters that cannot be seen, or turn the direction of writing, become their numbers. */
const visible = (text) => String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
  `\\u{${character.codePointAt(0).toString(16).toUpperCase()}}`);

const visibleLines = (text) => String(text).split("\n").map(visible).join("\n");

/** An element. Attributes with functions listen to events; children are elements or texts. */
const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined)
    .map((child) => (child instanceof Node ? child : document.createTextNode(child))));
  return made;
};

const number = (value) => Number(value).toLocaleString("en-US");

const bytes = (count) => {
  for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]]) {
    if (count >= size) return `${(count / size).toFixed(count >= 10 * size ? 0 : 1)} ${unit}`;
  }
  return `${count} bytes`;
};

/** A time of the ledger in milliseconds; it has microseconds, which Date drops. */
const milliseconds = (time) => {
  const whole = Date.parse(time.replace(/\.\d+/, ""));
  const fraction = /\.(\d+)/.exec(time);
  return whole + (fraction ? Number(`0.${fraction[1]}`) * 1000 : 0);
};

/** A length of time with one or two units. */
const lengthWords = (duration) => {
  const value = Math.abs(duration);
  if (value < 1) return `${Math.round(value * 1000)} µs`;
  if (value < 1000) return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
  if (value < 60_000) return `${(value / 1000).toFixed(value < 10_000 ? 2 : 1)} s`;
  for (const [size, unit, next, nextUnit] of [
    [86_400_000, "d", 3_600_000, "h"], [3_600_000, "h", 60_000, "min"], [60_000, "min", 1000, "s"],
  ]) {
    if (value < size) continue;
    const rest = Math.floor((value % size) / next);
    return `${number(Math.floor(value / size))} ${unit}${rest ? ` ${rest} ${nextUnit}` : ""}`;
  }
  return "";
};

const agoWords = (time) => {
  const age = (live ? Date.now() : milliseconds(meta.generatedAt)) - milliseconds(time);
  return age < 0 ? `in ${lengthWords(age)}` : `${lengthWords(age)} ${live ? "ago" : "before the report"}`;
};

const isTime = (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text);
const isID = (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

/** A time, with as many digits of the second as are wanted. */
const timeElement = (time, digits = 6) => element("time", { datetime: time, title: `${time}, ${agoWords(time)}` },
  time.replace("T", " ").replace("Z", "").slice(0, 20 + digits));

/** The signs of states, so that colour is never the only difference. */
const stateSigns = {
  good: ["✓", ["fulfilled", "finished", "returned", "value"]],
  bad: ["✕", ["rejected", "timed out", "failed", "dead", "failure"]],
  busy: ["▸", ["running", "alive", "active"]],
  idle: ["◔", ["pending", "waiting", "due", "retrying", "parked", "orphaned", "frozen"]],
  off: ["–", ["cancelled", "ended", "invalidated", "abandoned", "consumed", "resolved"]],
};
const signs = {
  pending: "○", due: "●", retrying: "↻", parked: "‖", orphaned: "!", frozen: "❄", cancelled: "⊘", invalidated: "⊘",
};
const stateTone = (state) =>
  Object.keys(stateSigns).find((tone) => stateSigns[tone][1].includes(state)) ?? "off";
const stateElement = (state) => {
  const tone = stateTone(state);
  return element("span", { class: `state ${tone}` },
    element("i", { "aria-hidden": "true" }, signs[state] ?? stateSigns[tone][0]), visible(state));
};

/** Names of members as words: `creatorInstance` is "creator instance". */
const words = (name) =>
  name.replace(/ID$/, " id").replace(/([a-z])([A-Z])/g, (_, before, after) => `${before} ${after.toLowerCase()}`);

const copyButton = (text, what) =>
  element("button", {
    type: "button", class: "copy", "aria-label": `Copy ${what}`,
    click: async (event) => {
      event.stopPropagation();
      const button = event.currentTarget;
      const copied = await copy(text);
      button.textContent = copied ? "Copied" : "Select it";
      announce(copied ? `Copied ${what}` : `Could not copy ${what}`);
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    },
  }, "Copy");

/** Without a secure context, as from a file, there may be no clipboard but the old command. */
const copy = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = element("textarea", { readonly: true, class: "hidden-text" });
    field.value = text;
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    return copied;
  }
};

const announce = (text) => { document.getElementById("announcer").textContent = text; };

const link = (id, text) => element("a", { href: `#/id/${id}` }, text);

/** The name of what has an id: people's name for it, or the end of the id. */
const nameOf = (id) => {
  const found = find(id);
  if (found?.list === "sessions") return `${visible(found.record.instance)}, process ${found.record.processID}`;
  const { key, label } = found?.record ?? {};
  // The key of what work made is made of ids; a label says more.
  const name = key && label && isID(key.slice(0, 36)) ? label : key ?? label;
  return name ? visible(name.length > 80 ? `${name.slice(0, 80)}…` : name) : `…${id.slice(-8)}`;
};

/** A link to what has an id, with its kind and state. */
const thing = (id, { withState = true } = {}) => {
  const found = find(id);
  if (!found) return element("span", { class: "mono", title: "Not on this page" }, `${id} (not on this page)`);
  return element("span", {}, link(id, `${singular[found.list]} ${nameOf(id)}`),
    withState ? [" ", stateElement(found.state)] : []);
};
