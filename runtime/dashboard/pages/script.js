// Shows jobs and discoveries as they change: everything here also works without, by loading the page again.
"use strict";

const part = document.querySelector("[data-live]");
const status = document.querySelector("[data-live-status]");
let isLoading = false, isStale = false;

// Whether somebody is about to press a button here, selects text, or has opened something.
function isInUse() {
  const selection = getSelection();
  return part.contains(document.activeElement)
    || (!selection.isCollapsed && part.contains(selection.anchorNode))
    || part.querySelector("details[open]") !== null;
}

async function load() {
  if (isLoading) { isStale = true; return; }
  if (isInUse()) return;
  isLoading = true;
  try {
    const reply = await fetch(part.dataset.live, { headers: { accept: "text/html" } });
    if (reply.ok) {
      const text = await reply.text();
      // Asked again: a press that began while the reply came would end on a button that is gone.
      if (text !== part.dataset.shown && !isInUse()) {
        part.innerHTML = text;
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
