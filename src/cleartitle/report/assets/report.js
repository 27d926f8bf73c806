"use strict";
(() => {
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };
  const fold = (text) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
  const rowsOf = (body) => [...body.rows].filter((row) => !row.classList.contains("group-title"));

  const keyOf = (row, index, numeric) => {
    const cell = row.cells[index];
    const raw = cell.dataset.sort ?? cell.textContent.trim();
    if (!numeric) return raw === "" ? null : fold(raw);
    const value = raw === "" ? NaN : Number(raw);
    return Number.isNaN(value) ? null : value;
  };

  const sortTable = (table, index, numeric, descending) => {
    for (const body of table.tBodies) {
      const keyed = rowsOf(body).map((row) => [keyOf(row, index, numeric), row]);
      keyed.sort(([a], [b]) => {
        if (a === null || b === null) return (a === null) - (b === null);
        const order = numeric ? a - b : a < b ? -1 : a > b ? 1 : 0;
        return descending ? -order : order;
      });
      body.append(...keyed.map(([, row]) => row));
    }
  };

  const addSorting = (table) => {
    const headers = [...table.tHead.rows[0].cells];
    headers.forEach((header, index) => {
      const numeric = header.classList.contains("number");
      const button = make("button", { type: "button" }, ...header.childNodes);
      header.append(button);
      button.addEventListener("click", () => {
        const now = header.getAttribute("aria-sort");
        const descending = now ? now === "ascending" : numeric;
        headers.forEach((other) => other.removeAttribute("aria-sort"));
        header.setAttribute("aria-sort", descending ? "descending" : "ascending");
        sortTable(table, index, numeric, descending);
      });
    });
  };

  const addFilters = (box, table) => {
    const rows = [...table.tBodies].flatMap(rowsOf);
    if (rows.length < 8) return;
    const tests = [];
    const tools = make("div", { className: "tools" });
    const search = make("input", { type: "search", autocomplete: "off" });
    tools.append(make("label", {}, "Search this table", search));
    tests.push((row) => fold(row.textContent).includes(fold(search.value.trim())));
    [...table.tHead.rows[0].cells].forEach((header, index) => {
      if (!("choose" in header.dataset)) return;
      const values = [...new Set(rows.map((row) => row.cells[index].textContent.trim()))].sort();
      if (values.length < 2) return;
      const choice = make("select", {}, make("option", { value: "" }, "all"));
      values.forEach((value, number) => choice.append(make("option", { value: String(number) }, value)));
      tools.append(make("label", {}, header.textContent.trim(), choice));
      tests.push((row) => choice.value === "" || row.cells[index].textContent.trim() === values[Number(choice.value)]);
    });
    const status = make("span", { className: "status" });
    status.setAttribute("role", "status");
    tools.append(status);
    const apply = () => {
      let seen = 0;
      for (const row of rows) {
        row.hidden = !tests.every((test) => test(row));
        seen += row.hidden ? 0 : 1;
      }
      for (const body of table.tBodies) {
        const title = body.querySelector(".group-title");
        if (title) title.hidden = rowsOf(body).every((row) => row.hidden);
      }
      status.textContent = seen === rows.length ? `${rows.length} rows` : `${seen} of ${rows.length} rows`;
    };
    tools.addEventListener("input", apply);
    apply();
    box.prepend(tools);
  };

  const addGroupTools = (section) => {
    const groups = [...section.querySelectorAll(":scope > details.group")];
    if (groups.length < 2) return;
    const tools = make("div", { className: "section-tools" });
    if (groups.length > 5) {
      const search = make("input", { type: "search", autocomplete: "off" });
      search.addEventListener("input", () => {
        const wanted = fold(search.value.trim());
        groups.forEach((group) => (group.hidden = !fold(group.textContent).includes(wanted)));
      });
      tools.append(make("label", {}, "Search these cases", search));
    }
    for (const [label, open] of [["Expand all", true], ["Collapse all", false]]) {
      const button = make("button", { type: "button" }, label);
      button.addEventListener("click", () => groups.forEach((group) => (group.open = open)));
      tools.append(button);
    }
    groups[0].before(tools);
  };

  for (const box of document.querySelectorAll("div.table[data-live]")) {
    const table = box.querySelector("table");
    addSorting(table);
    addFilters(box, table);
  }
  document.querySelectorAll("main > section").forEach(addGroupTools);
  addEventListener("beforeprint", () => document.querySelectorAll("details.numbers").forEach((d) => (d.open = false)));
})();
