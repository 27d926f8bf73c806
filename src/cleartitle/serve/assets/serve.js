"use strict";
{
  const part = (id) => document.getElementById(id);
  const AROUND = 3; // lines of the pasted text shown around a span
  const COLORS = 6;
  const LARGEST = 16 << 20; // bytes of a file that is read into the page
  const CLASSES = {
    public_domain: "public domain", permissive: "permissive", weak_copyleft: "weak copyleft",
    strong_copyleft: "strong copyleft", restricted: "restricted",
  };
  const TRUST = {
    agree: "header and declaration agree", header: "the header of the file",
    declaration: "the declaration of the package", none: "nothing",
  };
  const count = (number, one, more) => `${number.toLocaleString("en")} ${number === 1 ? one : more}`;
  const range = ([first, last]) => (first === last ? `${first}` : `${first}–${last}`);
  // Signs that reorder or hide text are shown by their number, so that code looks as it is.
  const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
  const plain = (text) =>
    text.replace(HIDDEN, (sign) => `[U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);

  const make = (name, text, kind) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = plain(String(text));
    if (kind) element.className = kind;
    return element;
  };

  async function ask(path, body) {
    const headers = {};
    const token = part("token").value.trim();
    if (token) headers.Authorization = `Bearer ${token}`;
    const options = { headers, cache: "no-store", credentials: "omit" };
    if (body !== undefined) {
      options.method = "POST";
      headers["Content-Type"] = "application/json";
      options.body = JSON.stringify(body);
    }
    let response;
    try {
      response = await fetch(path, options);
    } catch {
      throw new Error("The service does not answer. Is it still running?");
    }
    const found = await response.json();
    if (response.status === 401) {
      part("secret").hidden = false;
      part("token").focus();
      throw new Error(token ? "This token is wrong." : "This service asks for a token.");
    }
    if (!response.ok) throw new Error(found.error);
    return found;
  }

  function show(problem) {
    part("problem").textContent = problem ? plain(problem) : "";
    part("problem").hidden = !problem;
  }

  // The span of a line; where a line holds several, the longest.
  function lines(spans, side) {
    const held = new Map();
    spans.map((span, number) => ({ ...span, number })).sort((a, b) => a.words - b.words).forEach((span) => {
      for (let line = span[side][0]; line <= span[side][1]; line++) held.set(line, span);
    });
    return held;
  }

  function code(title, blocks, held) {
    const figure = make("figure");
    const pre = make("pre");
    const rows = make("span", undefined, "rows");
    pre.tabIndex = 0;
    pre.setAttribute("aria-label", plain(title));
    let before = null; // the span of the row before: its number stands at its first row only
    blocks.forEach((block, position) => {
      if (position) rows.append(make("span", "⋯", "row gap"));
      block.lines.forEach((text, offset) => {
        const span = held.get(block.first + offset);
        const row = make("span", undefined, span ? `row ${span.kind} c${span.number % COLORS}` : "row");
        if (span) row.dataset.span = span.number;
        const tag = span && span.number !== before ? span.number + 1 : "";
        before = span ? span.number : null;
        row.append(make("span", tag, "tag"), make("span", block.first + offset, "no"), make("span", text), "\n");
        rows.append(row);
      });
    });
    pre.append(rows);
    figure.append(make("figcaption", title), pre);
    return figure;
  }

  function own(text, held) {
    const all = text.split("\n");
    const wanted = new Set();
    for (const line of held.keys()) {
      for (let near = line - AROUND; near <= line + AROUND; near++) if (near >= 1 && near <= all.length) wanted.add(near);
    }
    const blocks = [];
    for (const line of [...wanted].sort((a, b) => a - b)) {
      const last = blocks.at(-1);
      if (last && line === last.first + last.lines.length) last.lines.push(all[line - 1]);
      else blocks.push({ first: line, lines: [all[line - 1]] });
    }
    return blocks;
  }

  function address(url) {
    if (!/^https?:\/\//i.test(url)) return make("span", url);
    const link = make("a", url);
    link.href = url;
    link.rel = "noopener noreferrer nofollow";
    link.target = "_blank";
    return link;
  }

  function facts(match) {
    const list = make("dl");
    const add = (name, ...values) => {
      const value = make("dd");
      value.append(...values);
      list.append(make("dt", name), value);
    };
    add("license", make("span", match.license || "unknown"));
    add("founded on", make("span", match.conflict ? `conflict: ${match.conflict}` : TRUST[match.trust] || match.trust));
    add("asks for", make("span", match.obligations.join(", ") || "nothing that is known"));
    add("copyright", make("span", match.copyright_lines.join("; ") || "no line in the file"));
    if (match.permalink) add("address", address(match.permalink));
    if (match.date) add("first seen", make("span", match.date));
    const places = match.also ? `, ${count(match.also, "further place", "further places")}` : "";
    add("shared words", make("span", `in ${count(match.projects, "project", "projects")}${places}`));
    return list;
  }

  function card(match, number, text) {
    const box = make("article");
    box.tabIndex = -1;
    const title = make("h2", `${number + 1}. ${match.project} ${match.version || ""}`.trim());
    title.append(" ", make("span", match.path, "path"));
    const badges = make("ul", undefined, "badges");
    const strict = ["weak_copyleft", "strong_copyleft", "restricted"].includes(match.license_class) && !match.common;
    badges.append(make("li", CLASSES[match.license_class] || "class unknown", strict ? "strong" : ""));
    badges.append(make("li", `${Math.round(match.containment * 100)}% of the text, ${Math.round(match.exact * 100)}% exact`));
    if (match.common) badges.append(make("li", "common: many projects share these words"));
    if (match.is_vendored) badges.append(make("li", "a vendored copy"));
    const spans = make("ol", undefined, "spans");
    match.spans.forEach((span, place) => {
      const kind = span.kind === "exact" ? "exact" : "renamed";
      const words = `${place + 1}: lines ${range(span.query)} here, ${range(span.origin)} there, ${count(span.words, "word", "words")}, ${kind}`;
      const button = make("button", words, `${kind} c${place % COLORS}`);
      button.type = "button";
      button.addEventListener("click", () => point(box, place));
      const item = make("li");
      item.append(button);
      spans.append(item);
    });
    const both = make("div", undefined, "both");
    const here = lines(match.spans, "query");
    both.append(code("your text", own(text, here), here));
    if (match.excerpt) {
      both.append(code(`${match.project}: ${match.path}`, match.excerpt, lines(match.spans, "origin")));
    } else {
      both.append(make("p", "This service shows no texts of origins; only the place is known.", "quiet"));
    }
    box.append(title, badges, facts(match), spans, both);
    return box;
  }

  // Mark one span on both sides and bring it into view there, without moving the page.
  function point(box, number) {
    box.querySelectorAll(".now").forEach((row) => row.classList.remove("now"));
    box.querySelectorAll("pre").forEach((pre) => {
      const rows = [...pre.querySelectorAll(`[data-span="${number}"]`)];
      rows.forEach((row) => row.classList.add("now"));
      if (rows.length) pre.scrollTop = rows[0].offsetTop - pre.offsetTop - pre.clientHeight / 4;
    });
  }

  function tell(result, text) {
    const { searched } = result;
    const place = `${count(searched.documents, "file", "files")}, ${(searched.source_bytes / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
    part("state").textContent = {
      matches: `${count(result.matches.length, "match", "matches")} in ${place}.`,
      common: `Only words that many projects share, in ${place}.`,
      none: `Nothing found in ${place}. A run of ${searched.guaranteed_words.exact} equal words is always found, or of ${searched.guaranteed_words.renamed} under other names, unless all of it is common.`,
      too_short: `Too short to be searched for: ${count(result.words, "word", "words")}.`,
    }[result.state];
    part("matches").replaceChildren(...result.matches.map((match, number) => card(match, number, text)));
    part("legend").hidden = result.matches.length === 0;
    part("bounds").hidden = result.matches.length === 0;
  }

  let turn = 0;
  async function search() {
    const text = part("text").value;
    const mine = ++turn;
    show("");
    part("search").disabled = true;
    part("state").textContent = "Searching …";
    try {
      const body = { text, excerpts: true };
      if (part("language").value) body.language = part("language").value;
      const { results } = await ask("/v1/trace", body);
      if (mine === turn) tell(results[0], text.replace(/\r\n?/g, "\n"));
    } catch (problem) {
      if (mine !== turn) return;
      part("state").textContent = "";
      show(problem.message);
    } finally {
      if (mine === turn) part("search").disabled = false;
    }
  }

  function step(by) {
    const cards = [...document.querySelectorAll("article")];
    if (!cards.length) return;
    const now = cards.findIndex((card) => card.contains(document.activeElement));
    const next = cards[Math.min(Math.max(now + by, 0), cards.length - 1)];
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "start" });
  }

  part("form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (!part("search").disabled) search();
  });
  part("file").addEventListener("change", async () => {
    const [file] = part("file").files;
    if (!file) return;
    if (file.size > LARGEST) {
      show(`${file.name} is larger than ${LARGEST >> 20} MiB; paste the part that matters.`);
      return;
    }
    part("text").value = await file.text();
    search();
  });
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.repeat) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      part("form").requestSubmit();
      return;
    }
    const writing = event.target.matches("input, textarea, select");
    if (event.key === "Escape" && writing) event.target.blur();
    if (writing || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === "n") step(1);
    else if (key === "p") step(-1);
    else if (key === "/") part("text").focus();
    else return;
    event.preventDefault();
  });

  (async () => {
    try {
      const document_ = await ask("/openapi.json");
      for (const name of document_.components.schemas.Question.properties.language.enum) {
        if (name === null) continue;
        const option = make("option", name);
        option.value = name;
        part("language").append(option);
      }
      const { index } = await ask("/health");
      if (index) part("index").textContent = plain(`${index.name}: ${count(index.documents, "file", "files")}, ${(index.source_bytes / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB`);
    } catch (problem) {
      show(problem.message);
    }
    part("text").focus();
  })();
}
