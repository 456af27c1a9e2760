// Shows jobs and discoveries as they change: everything here also works without, by loading the page again.
"use strict";

const part = document.querySelector("[data-live]");
const status = document.querySelector("[data-live-status]");
let isLoading = false, isStale = false;

async function load() {
  if (isLoading) { isStale = true; return; }
  // Who reads or selects something here is not interrupted.
  const selection = getSelection();
  if (part.contains(document.activeElement) || (!selection.isCollapsed && part.contains(selection.anchorNode))) return;
  isLoading = true;
  try {
    const reply = await fetch(part.dataset.live, { headers: { accept: "text/html" } });
    if (reply.ok) {
      const text = await reply.text();
      if (text !== part.dataset.shown) {
        const opened = [...part.querySelectorAll("details[open]")].length > 0;
        if (!opened) part.innerHTML = text;
        part.dataset.shown = text;
      }
    }
  } catch { /* The next event tries again. */ }
  isLoading = false;
  if (isStale) { isStale = false; load(); }
}

if (part && "liveSlowly" in part.dataset) {
  setInterval(load, 10_000);
} else if (part) {
  const events = new EventSource("/ui/live");
  events.addEventListener("changed", load);
  events.addEventListener("open", () => { if (status) status.hidden = false; });
  events.addEventListener("error", () => { if (status) status.hidden = true; });
}
