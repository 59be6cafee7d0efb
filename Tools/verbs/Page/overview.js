// The first page, and growth.

/** Where a list of the tool is on this page. */
const listAddress = (next) => {
  const [, verb, , ...options] = next;
  if (verb === "explain") return `#/id/${options[0]}`;
  const states = options.filter((_, index) => options[index - 1] === "--state");
  const names = {
    promises: { failed: ["rejected", "timed out"], resolved: ["fulfilled", "rejected", "cancelled", "timed out"] },
    handlers: { active: ["active", "running", "failed"] },
    work: { failed: ["rejected", "timed out"] },
  }[verb] ?? {};
  if (options.includes("--orphaned")) states.push("pending");
  const parameters = new URLSearchParams();
  for (const state of states.flatMap((state) => names[state] ?? [state])) parameters.append("state", state);
  return `#/${verb}${states.length > 0 ? `?${parameters}` : ""}`;
};

const groupTitles = { failed: "✕ Failed", stuck: "! Stuck", waits: "○ Waits" };

const showOverview = (main) => {
  const figure = (name, text, more) => element("div", { class: "figure" },
    element("div", { class: "name" }, name), element("div", { class: "number" }, text), element("div", { class: "more" }, more));
  const { alive = 0, frozen = 0, dead = 0 } = meta.sessions;
  const groups = Object.keys(groupTitles).flatMap((group) => {
    const findings = meta.findings.filter((finding) => finding.group === group);
    if (findings.length === 0) return [];
    return [element("section", { class: `panel group-${group}` }, element("h3", {}, groupTitles[group]),
      element("table", { class: "findings", "aria-label": group }, element("tbody", {}, findings.map((finding) =>
        element("tr", {}, element("td", { class: "total" }, number(finding.count)),
          element("th", { scope: "row" }, element("a", { href: listAddress(finding.next) }, visible(finding.words))),
          element("td", { class: "command" }, element("code", { class: "mono", title: finding.command }, visible(finding.command)),
            copyButton(finding.command, "the command")))))))];
  });
  main.replaceChildren(
    ...[...new Set(Object.values(meta.leftOut))].filter(Boolean).map((text) => element("p", { class: "note" }, text)),
    element("div", { class: "figures" },
      figure("Events", number(meta.head), `${number(meta.head - meta.snapshotPosition)} after the snapshot`),
      figure("Newest event", meta.newestTime.slice(0, 10), `${meta.newestTime.slice(11, 19)} UTC, ${agoWords(meta.newestTime)}`),
      figure("Sessions", number(alive + frozen + dead), `${alive} alive, ${frozen} frozen, ${dead} dead`),
      figure("Data", bytes(meta.fileBytes), meta.deletedThrough > 0 ? `events deleted through ${number(meta.deletedThrough)}` : "no event was deleted")),
    ...(groups.some((group) => !group.classList.contains("group-waits")) ? []
      : [element("section", { class: "panel" }, element("p", {}, element("span", { class: "state good" }, element("i", {}, "✓"), "Nothing failed, and nothing is stuck.")))]),
    ...groups);
  return "Overview";
};

const showGrowth = (main) => {
  const samples = meta.sizes;
  const { names, counts } = lists.events.allStates();
  const kinds = names.map((name, index) => [name, counts[index]]).sort((one, other) => other[1] - one[1]);
  const most = Math.max(1, ...counts);
  main.replaceChildren(
    ...leftOutNote("events"),
    element("section", { class: "panel" }, element("h3", {}, "Events and bytes over time"),
      samples.length > 1 ? chart(samples) : element("p", { class: "quiet" }, "There are too few events to draw."),
      samples.length > 1 ? element("details", {}, element("summary", {}, "As a table"), sizeTable(samples)) : null),
    element("section", { class: "panel" }, element("h3", {}, "Events by kind"),
      element("table", { class: "kinds findings" }, element("tbody", {}, kinds.map(([name, count]) => {
        const bar = element("span", { "aria-hidden": "true" });
        bar.style.width = `${(100 * count) / most}%`;
        return element("tr", {}, element("th", { scope: "row" }, element("a", { href: `#/events?state=${encodeURIComponent(name)}` }, visible(name))),
          element("td", { class: "right" }, number(count)), element("td", { class: "amount" }, bar));
      })))));
  return "Growth";
};

const sizeTable = (samples) => {
  const step = Math.max(1, Math.ceil(samples.length / 40));
  const shown = samples.filter((_, index) => index % step === 0 || index === samples.length - 1);
  return element("table", { class: "events" },
    element("thead", {}, element("tr", {}, ["Time", "Position", "Bytes of events so far"].map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, shown.map(([time, position, size]) => element("tr", {},
      element("td", {}, timeElement(time)), element("td", {}, number(position)), element("td", {}, bytes(size))))));
};

const drawing = (tag, attributes, text) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
};

/** Bars for events in equal times, and a line for the bytes so far. */
const chart = (samples) => {
  const [width, height, left, bottom, top] = [900, 240, 56, 28, 16];
  const times = samples.map(([time]) => milliseconds(time));
  const start = Math.min(...times), length = Math.max(Math.max(...times) - start, 1);
  const bars = new Array(60).fill(0);
  for (let index = 1; index < samples.length; index += 1) {
    const bar = Math.min(bars.length - 1, Math.floor(((times[index] - start) / length) * bars.length));
    bars[bar] += samples[index][1] - samples[index - 1][1];
  }
  const most = Math.max(...bars, 1), full = Math.max(...samples.map(([, , size]) => size), 1);
  const x = (part) => left + part * (width - 2 * left), y = (part) => height - bottom - part * (height - bottom - top);
  const made = drawing("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img" });
  made.append(drawing("title", {}, `${number(samples.at(-1)[1])} events, ${bytes(full)}, in ${lengthWords(length)}`));
  for (const part of [0, 0.5, 1]) {
    made.append(
      drawing("line", { class: "axis", x1: left, x2: width - left, y1: y(part), y2: y(part) }),
      drawing("text", { x: left - 6, y: y(part) + 4, "text-anchor": "end" }, number(Math.round(most * part))),
      drawing("text", { x: width - left + 6, y: y(part) + 4 }, bytes(Math.round(full * part))));
  }
  bars.forEach((count, index) => {
    if (count === 0) return;
    const bar = drawing("rect", { class: "events", x: x(index / bars.length) + 1, y: y(count / most), width: (width - 2 * left) / bars.length - 2, height: y(0) - y(count / most) });
    bar.append(drawing("title", {}, `${number(count)} events`));
    made.append(bar);
  });
  made.append(drawing("polyline", { class: "bytes", points: samples.map(([, , size], index) => `${x((times[index] - start) / length).toFixed(1)},${y(size / full).toFixed(1)}`).join(" ") }));
  made.append(drawing("text", { x: left, y: height - 8 }, samples[0][0].slice(0, 19).replace("T", " ")),
    drawing("text", { x: width / 2, y: height - 8, "text-anchor": "middle" }, "▮ events, left scale   ― bytes so far, right scale"),
    drawing("text", { x: width - left, y: height - 8, "text-anchor": "end" }, samples.at(-1)[0].slice(0, 19).replace("T", " ")));
  return made;
};
