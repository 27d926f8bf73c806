"use strict";
{
  const part = (id) => document.getElementById(id);
  const ENDED = "The server does not answer. What you did is kept: open the same address again later.";
  const at = new URLSearchParams(location.hash.slice(1));
  const invitation = at.get("join") || "";
  let secret = at.get("person") || "";
  let chosen = null;
  let seen = 0; // milliseconds in sight before `shown`
  let shown = performance.now();

  const hidden = () => document.visibilityState === "hidden";
  const seconds = () => (seen + (shown && !hidden() ? performance.now() - shown : 0)) / 1000;
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
  const paragraphs = (text) => text.split(/\n\s*\n/).map((one) => make("p", one));

  async function ask(path, body) {
    const options = { headers: { "X-Study-Token": secret }, cache: "no-store" };
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
    part("problem").hidden = true;
    try {
      await work();
    } catch (problem) {
      part("problem").textContent = problem.message;
      part("problem").hidden = false;
      part("problem").scrollIntoView({ block: "nearest" });
    }
  }

  const call = async (name, args) => (await ask("/call", { name, arguments: args, seconds: seconds() })).result;

  function sure(question) {
    return new Promise((resolve) => {
      part("question").textContent = question;
      const end = (answer) => {
        part("sure").close();
        resolve(answer);
      };
      part("yes").onclick = () => end(true);
      part("no").onclick = () => end(false);
      part("sure").oncancel = () => resolve(false);
      part("sure").showModal();
    });
  }

  function only(id) {
    for (const name of ["welcome", "work", "end"]) part(name).hidden = name !== id;
    part("leave").hidden = secret === "";
    part(id).querySelector("h1").focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }

  function open(path, button) {
    return run(async () => {
      for (const one of part("files").querySelectorAll("button")) one.setAttribute("aria-pressed", String(one === button));
      const image = await call("view_image", { path });
      const size = await call("get_dimensions", { path });
      const bytes = await call("get_file_size", { path });
      chosen = path;
      part("name").textContent = path;
      part("picture").src = image;
      part("picture").alt = path;
      part("size").textContent = `${size.width} × ${size.height} pixels, ${(bytes / 1024).toFixed(0)} kB`;
      part("properties").open = false;
      part("metadata").replaceChildren();
      part("hint").hidden = true;
      part("chosen").hidden = false;
      part("name").focus({ preventScroll: true });
      if (window.innerWidth <= 736) part("detail").scrollIntoView({ block: "start" });
    });
  }

  part("properties").addEventListener("toggle", () => {
    if (!part("properties").open || chosen === null || part("metadata").childElementCount) return;
    run(async () => {
      const found = Object.entries(await call("read_metadata", { path: chosen }));
      const lines = found.flatMap(([name, value]) => [make("dt", name), make("dd", value)]);
      part("metadata").replaceChildren(...(lines.length ? lines : [make("dt", "none")]));
    });
  });

  part("submit").addEventListener("click", async () => {
    if (!(await sure(`Hand in ${chosen}? This ends the task.`))) return;
    run(async () => {
      await call("submit_selection", { path: chosen });
      show(await ask("/task"));
    });
  });

  part("search").addEventListener("submit", (event) => {
    event.preventDefault();
    run(async () => {
      const found = await call("web_search", { query: part("query").value });
      const pages = found.map((one) => {
        const item = make("li");
        item.append(make("strong", one.title), make("div", one.address, "quiet"), make("div", one.text));
        return item;
      });
      part("pages").replaceChildren(...(pages.length ? pages : [make("li", "Nothing was found.")]));
    });
  });

  function show(view) {
    part("state").textContent = view.task === null ? "" : `Task ${view.number} of ${view.total}`;
    if (view.task === null) {
      part("debriefing").replaceChildren(
        ...(view.withdrawn ? [make("p", "What you did is left out of all results. Thank you.")] : paragraphs(view.debriefing)),
      );
      only("end");
      part("leave").hidden = view.withdrawn;
      return;
    }
    chosen = null;
    seen = 0;
    shown = hidden() ? 0 : performance.now();
    part("task").textContent = view.task;
    part("chosen").hidden = true;
    part("hint").hidden = false;
    part("search").hidden = !view.web;
    part("pages").replaceChildren();
    part("files").replaceChildren(
      ...view.files.map((file) => {
        const button = make("button", undefined, "file");
        button.type = "button";
        button.setAttribute("aria-pressed", "false");
        const image = make("img");
        image.src = file.image;
        image.alt = "";
        button.append(image, file.path);
        button.addEventListener("click", () => open(file.path, button));
        const box = make("div");
        box.setAttribute("role", "listitem");
        box.append(button);
        return box;
      }),
    );
    part("address").textContent = "You can stop and come back: keep the address of this page, which is yours alone.";
    only("work");
  }

  part("agree").addEventListener("change", () => {
    part("join").disabled = !part("agree").checked;
  });
  part("join").addEventListener("click", () =>
    run(async () => {
      secret = (await ask("/join", { invitation, agreed: part("agree").checked })).secret;
      history.replaceState(null, "", `#person=${secret}`);
      show(await ask("/task"));
    }),
  );
  part("withdraw").addEventListener("click", async () => {
    if (!(await sure("Leave out all that you did? This cannot be taken back."))) return;
    run(async () => show(await ask("/withdraw", {})));
  });

  run(async () => {
    if (secret) {
      show(await ask("/task"));
      return;
    }
    part("consent").replaceChildren(...paragraphs((await ask("/consent")).consent));
    only("welcome");
  });
}
