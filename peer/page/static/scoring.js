// The end of a round, walked through district by district: who won it, and why.

import { dressed } from "./art.js";
import { button, h } from "./dom.js";
import { t } from "./words.js";

/** The scene before the first district is resolved: all cards up, nothing won yet. */
function opened(before, scored, after) {
  const scene = structuredClone(before ?? after);
  for (const event of scored) {
    const faces = [event.dracula, event.helsing];
    for (const player of [0, 1]) Object.assign(scene.racks[player][event.district], { f: faces[player], lies: "up" });
  }
  scene.drawn = null;
  scene.turn = -1;
  scene.discards = after.deck === scene.deck ? after.discards : scene.discards;
  return scene;
}

/** Show the districts one by one in `panel`; returns when the person has seen them. */
export function walk(board, panel, story, before, after, paint) {
  const scored = story.filter((event) => event.k === "DistrictScored");
  const why = story.find((event) => event.k === "RoundEnded");
  const over = story.find((event) => event.k === "GameOver");
  const scene = opened(before, scored, after);
  const list = h("ol", { class: "verdicts" });
  const next = button(t("scoring.next"), () => {}, { class: "answer main" });
  const skip = button(t("scoring.skip"), () => {}, { class: "answer" });
  const view = h("div", { class: "walk" },
    h("h2", {}, why?.text ?? t("scoring.title")), list, h("div", { class: "answers" }, next, skip));
  panel.replaceChildren(view);
  panel.classList.add("mine");
  paint(scene);
  return new Promise((resolve) => {
    let at = 0;
    const finish = () => {
      document.removeEventListener("keydown", key);
      board.highlight(-1);
      panel.replaceChildren();
      resolve();
    };
    const step = () => {
      if (at === scored.length) return finish();
      const event = scored[at++];
      scene.vampires[event.district] = event.vampires;
      scene.hp = event.hp;
      paint(scene, event);
      board.highlight(event.district);
      list.append(h("li", { class: event.winner === scene.player ? "won" : "lost" }, dressed(event.text)));
      if (at === scored.length) {
        if (over) list.append(h("li", { class: "over" }, over.text));
        skip.remove();
        next.textContent = t(over ? "scoring.end" : "scoring.on");
      }
      list.lastChild.scrollIntoView({ block: "nearest" });
      return undefined;
    };
    const key = (event) => {
      if (event.key === "Escape" && !document.querySelector("dialog[open]")) finish();
    };
    next.addEventListener("click", step);
    skip.addEventListener("click", finish);
    document.addEventListener("keydown", key);
    next.focus({ preventScroll: true });
    step();
  });
}
