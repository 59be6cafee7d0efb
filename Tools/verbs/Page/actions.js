// What an operator can do on a page whose server allows it. The server says first what an action would do.

const verbs = {
  resolve: ["Resolve", "Fulfil the promise with a value. What waits for it goes on."],
  reject: ["Reject", "Reject the promise. The reason becomes the message of its error."],
  cancel: ["Cancel", "Cancel it. Code that runs is asked to end."],
  abandon: ["Abandon", "Give the promise up for good: it can no longer be resolved or consumed."],
  retry: ["Retry", "Make it due at once. Failures are counted from 0 again."],
  invalidate: ["Invalidate", "Withdraw the handler for good: it can no longer be called."],
};

/** The verbs that fit a record. The server decides whether one is possible. */
const verbsFor = ({ list, record }) => {
  if (list === "handlers") {
    if (record.state !== "active") return [];
    return (record.openCalls ?? []).length > 0 ? ["retry", "invalidate"] : ["invalidate"];
  }
  if (list !== "promises" && list !== "work") return [];
  if (record.state === "resolved") return record.lifetime === "untilSettled" ? [] : ["abandon"];
  if (record.state !== "pending") return [];
  if (list === "work") return ["retry", "cancel", "abandon"];
  // Other promises settle a joint, which has a rule.
  return record.rule ? ["cancel", "abandon"] : ["resolve", "reject", "cancel", "abandon"];
};

const actionsFor = (found, id) => {
  const fitting = live?.actions ? verbsFor(found) : [];
  if (fitting.length === 0) return null;
  return element("div", { class: "actions", role: "group", "aria-label": "Actions" }, fitting.map((verb) =>
    element("button", { type: "button", "data-verb": verb, "aria-haspopup": "dialog", click: () => askAbout(verb, id) }, `${verbs[verb][0]}…`)));
};

/** Asks for the reason, shows what would be done, and does it only then. */
const askAbout = (verb, id) => {
  const [title, explanation] = verbs[verb];
  const typeTag = find(id)?.record.typeTag;
  const reason = element("input", { type: "text", id: "action-reason", required: true, maxlength: "500", autocomplete: "off" });
  const value = verb === "resolve" ? element("textarea", { id: "action-value", rows: "3", required: true, spellcheck: "false" }) : null;
  if (value && typeTag === "void") value.value = "null";
  const outcome = element("p", { class: "outcome", role: "status" });
  const close = element("button", { type: "button", click: () => dialog.close() }, "Close");
  const go = element("button", { type: "submit", class: "go" }, "Continue");
  const filledIn = () => JSON.stringify({ verb, id, reason: reason.value, value: value?.value });
  // What the server was asked about. Nothing else is done, even if it was edited before the answer came.
  let shown = null;
  const startAgain = () => { shown = null; go.textContent = "Continue"; outcome.textContent = ""; outcome.className = "outcome"; };
  reason.addEventListener("input", startAgain);
  value?.addEventListener("input", startAgain);
  const submit = async (event) => {
    event.preventDefault();
    const asked = filledIn();
    go.disabled = true;
    const { result, details } = await sendOrder({ ...JSON.parse(asked), apply: shown === asked });
    go.disabled = false;
    if (result === "would" && filledIn() !== asked) return startAgain();
    outcome.className = `outcome ${result === "refused" ? "bad" : result === "done" ? "good" : ""}`;
    if (result === "would") {
      shown = asked;
      go.textContent = title;
      outcome.textContent = `This would ${visible(details)}. The ledger records the reason.`;
    } else {
      shown = null;
      outcome.textContent = result === "done" ? `Done: ${visible(details)}.` : visibleLines(details);
      go.textContent = "Continue";
      if (result === "done") { go.remove(); close.focus(); }
    }
  };
  const dialog = element("dialog", { class: "action", "aria-labelledby": "action-title", close: () => dialog.remove() },
    element("h3", { id: "action-title" }, `${title}: ${find(id) ? `${singular[find(id).list]} ${nameOf(id)}` : id}`),
    element("p", { class: "quiet" }, explanation),
    element("form", { submit },
      value ? [element("label", { for: "action-value" }, `Value, as JSON of the type ${visible(typeTag)}`), value] : [],
      element("label", { for: "action-reason" }, "Reason"), reason, outcome,
      element("div", { class: "choice" }, close, go)));
  document.body.append(dialog);
  dialog.showModal();
  (value ?? reason).focus();
};

const sendOrder = async (order) => {
  try {
    const answer = await fetch("/actions", {
      method: "POST", headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(order),
    });
    return answer.ok ? await answer.json() : { result: "refused", details: await answer.text() };
  } catch {
    return { result: "refused", details: "The server cannot be reached. Look at the log of the ledger for what it did." };
  }
};

/** What the server asks for; the address of the page has it. */
const token = new URLSearchParams(location.search).get("token");
