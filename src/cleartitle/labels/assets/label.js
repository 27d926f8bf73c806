"use strict";
{
  const token = new URLSearchParams(location.search).get("token") || "";
  const part = (id) => document.getElementById(id);
  const QUICK = 250; // milliseconds in which a key pressed twice does not answer the next question
  const ENDED = "The server has ended. Every answer up to here is kept: give the same command again, and open the new address.";
  let view = null;
  let busy = false;
  let shown = 0;
  let seen = 0; // milliseconds in sight before `shown`

  const hidden = () => document.visibilityState === "hidden";
  const inSight = () => seen + (shown && !hidden() ? performance.now() - shown : 0);
  document.addEventListener("visibilitychange", () => {
    if (hidden()) {
      seen += shown ? performance.now() - shown : 0;
      shown = 0;
    } else {
      shown = performance.now();
    }
  });

  const make = (name, text, kind) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  };

  async function ask(path, body) {
    const options = { headers: { "X-Label-Token": token }, cache: "no-store" };
    if (body !== undefined) {
      options.method = "POST";
      options.headers["Content-Type"] = "application/json";
      options.body = JSON.stringify(body);
    }
    let response;
    try {
      response = await fetch(path, options);
    } catch {
      throw new Error(ENDED);
    }
    const found = await response.json();
    if (!response.ok) throw new Error(found.error);
    return found;
  }

  async function run(work) {
    if (busy) return;
    busy = true;
    part("problem").hidden = true;
    try {
      await work();
    } catch (problem) {
      part("problem").textContent = problem.message;
      part("problem").hidden = false;
      part("problem").scrollIntoView({ block: "nearest" });
    }
    busy = false;
  }

  const go = (position) => run(async () => show(await ask(position === undefined ? "/item" : `/item?position=${position}`)));

  function code(panel) {
    const pre = make("pre");
    pre.tabIndex = 0;
    pre.setAttribute("aria-label", panel.title);
    const signs = Array.from(panel.text); // marks count characters, not UTF-16 units
    let after = 0;
    for (const [start, end] of panel.marks) {
      const from = Math.max(start, after);
      if (end <= from) continue;
      pre.append(signs.slice(after, from).join(""), make("mark", signs.slice(from, end).join("")));
      after = end;
    }
    pre.append(signs.slice(after).join(""));
    return pre;
  }

  function figure(panel) {
    const box = make("figure");
    const title = make("figcaption", panel.title);
    if (panel.cut) title.append(make("span", ` (${panel.cut})`, "cut"));
    if (panel.image) {
      const image = make("img");
      image.src = panel.image;
      image.alt = panel.title;
      box.append(title, image);
    } else {
      box.append(title, code(panel));
    }
    return box;
  }

  function choice(one, number) {
    const box = make("div", undefined, "choice");
    const button = make("button");
    button.type = "button";
    button.dataset.number = number;
    button.append(make("kbd", String(number)), ` ${one.words}`);
    const given = view.given !== null && view.given.choice === one.value;
    button.setAttribute("aria-pressed", String(given));
    box.append(button);
    if (one.detail) {
      const input = make("input");
      input.placeholder = one.detail;
      input.setAttribute("aria-label", `${one.words} ${one.detail}`);
      input.spellcheck = false;
      input.value = given ? view.given.detail : "";
      input.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && !event.isComposing) {
          event.preventDefault();
          answer(one, input.value);
        }
      });
      box.append(input);
      button.addEventListener("click", () => (input.value.trim() ? answer(one, input.value) : input.focus()));
    } else {
      button.addEventListener("click", () => answer(one, ""));
    }
    return box;
  }

  function show(found) {
    view = found;
    seen = 0;
    shown = hidden() ? 0 : performance.now();
    const done = view.position === null;
    part("item").hidden = done;
    part("end").hidden = !done;
    part("bar").max = view.total;
    part("bar").value = view.answered;
    const place = done ? "" : `, question ${view.position + 1}`;
    part("state").textContent = `${view.rater}: ${view.answered} of ${view.total} answered${place}`;
    if (done) {
      part("thanks").focus();
      return;
    }
    part("question").textContent = view.question.text;
    part("help").textContent = view.question.help;
    part("panels").replaceChildren(...view.panels.map(figure));
    part("context").hidden = view.context === null;
    part("context").open = false;
    if (view.context !== null) {
      part("context").querySelector("summary").textContent = view.context.title;
      part("context").querySelector("pre").textContent = view.context.text;
    }
    part("choices").replaceChildren(...view.question.choices.map((one, index) => choice(one, index + 1)));
    part("comment").value = view.given === null ? "" : view.given.comment;
    part("previous").disabled = view.position === 0;
    part("next").disabled = view.position === view.total - 1;
    window.scrollTo(0, 0);
    part("question").focus({ preventScroll: true });
  }

  function answer(one, detail) {
    if (inSight() < QUICK) return;
    const { position, given } = view;
    const sent = { position, choice: one.value, detail, comment: part("comment").value, seconds: inSight() / 1000 };
    run(async () => {
      const next = await ask("/answer", sent);
      // Who corrects an answer goes on from there; who answers a new one gets the next that has none.
      show(given !== null && position + 1 < view.total ? await ask(`/item?position=${position + 1}`) : next);
    });
  }

  const last = () => go(view.total - 1);
  const finish = () =>
    run(async () => {
      await ask("/finish", {});
      part("end").replaceChildren(make("h1", "Thank you. You can close this page."));
      view = null;
    });
  part("previous").addEventListener("click", () => go(view.position - 1));
  part("next").addEventListener("click", () => go(view.position + 1));
  part("back").addEventListener("click", last);
  part("finish").addEventListener("click", finish);
  part("form").addEventListener("submit", (event) => event.preventDefault());

  document.addEventListener("keydown", (event) => {
    if (view === null || event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const writing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (writing) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const key = event.key.toLowerCase();
    if (view.position === null) {
      if (key === "p") last();
      else if (key === "enter" && !(event.target instanceof HTMLButtonElement)) finish();
      return;
    }
    const button = /^[1-9]$/.test(key) ? document.querySelector(`button[data-number="${key}"]`) : null;
    if (button !== null) button.click();
    else if (key === "c") part("comment").focus();
    else if (key === "p" && view.position > 0) go(view.position - 1);
    else if (key === "n" && view.position < view.total - 1) go(view.position + 1);
    else return;
    event.preventDefault();
  });

  go();
}
