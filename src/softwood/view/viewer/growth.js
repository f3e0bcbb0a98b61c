// The slider of the steps of learning: each step is a tree, with which the page is filled.

import { replaceChildren } from "./dom.js";

const PAUSE = 700; // milliseconds per step during play

export function createGrowth(data, find, show) {
  const { steps } = data, parts = ["header", "main"].map((name) => document.querySelector(name));
  const blank = parts.map((part) => part.cloneNode(true)), slider = find("step"), play = find("play");
  let shown = null, timer = null;
  const go = (at) => {
    const tab = shown?.tab(); // before the parts that show it are replaced
    blank.forEach((part, i) => {
      const fresh = part.cloneNode(true);
      parts[i].replaceWith(fresh);
      parts[i] = fresh;
    });
    shown = show({ ...data, ...steps[at] }, shown && { state: shown.state, tab: () => tab });
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", steps[at].title);
    replaceChildren(find("step-title"), steps[at].title);
  };
  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "▶";
    play.setAttribute("aria-label", "Play the steps");
  };
  play.addEventListener("click", () => {
    if (timer !== null) return stop();
    if (Number(slider.value) === steps.length - 1) go(0);
    play.textContent = "❚❚";
    play.setAttribute("aria-label", "Pause");
    timer = setInterval(() => {
      if (Number(slider.value) < steps.length - 1) go(Number(slider.value) + 1);
      if (Number(slider.value) === steps.length - 1) stop();
    }, PAUSE);
  });
  slider.addEventListener("input", () => {
    stop();
    go(Number(slider.value));
  });
  slider.max = String(steps.length - 1);
  find("growth").hidden = false;
  go(steps.length - 1);
}
