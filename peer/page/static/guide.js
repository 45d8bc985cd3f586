// A hand held out in the first game: one hint for each thing that is new, when it is new.

import { h, button } from "./dom.js";
import { t } from "./words.js";
import { wish, wishes } from "./wishes.js";

const seen = new Set();

const HINTS = [
  ["start", (state) => state.ask?.phase === "DISCARDING"],
  ["waiting", (state) => !state.ask && state.scene && state.scene.turn !== state.scene.player && state.scene.discards.length < 3],
  ["discard", (state) => state.ask?.phase === "DISCARDING"],
  ["effect", (state) => state.ask?.phase === "EFFECT"],
  ["known", (state) => state.scene?.racks.flat().some((card) => card.lies === "known")],
  ["faceup", (state) => state.scene?.racks.flat().some((card) => card.lies === "up") && state.ask],
  ["call", (state) => state.ask?.phase === "TURN" && state.ask.options.some((option) => option.k === "call")],
  ["called", (state) => state.scene?.caller >= 0],
  ["second", (state) => state.ask && state.scene.deck === 1],
];

export const guideIsOn = (state) => wishes.guide === "on" || (wishes.guide === "first" && state.first);

export class Guide {
  constructor(root) {
    this.root = root;
    this.current = null;
  }

  update(state) {
    if (!guideIsOn(state)) {
      this.root.replaceChildren();
      this.current = null;
      return;
    }
    const fresh = HINTS.find(([name, fits]) => !seen.has(name) && fits(state));
    if (!fresh) return;
    seen.add(fresh[0]);
    this.show(fresh[0], state);
  }

  show(name, state) {
    this.current = name;
    const who = state.scene?.player === 0 ? "guide.dracula" : "guide.helsing";
    this.root.replaceChildren(
      h("p", {}, h("b", {}, t("guide.title"), " "), name === "start" ? `${t(who)} ` : "", t(`guide.${name}`)),
      button(t("guide.off"), () => { wish("guide", "off"); this.root.replaceChildren(); }, { class: "link" }));
  }

  scoring() {
    if (!seen.has("scoring") && this.root.hasChildNodes()) {
      seen.add("scoring");
      this.show("scoring", {});
    }
  }
}

/** When to call, from what this player knows: words, or none where nothing is to be said. */
export function advice(state) {
  const { ask } = state;
  if (!(wishes.advice === "on" || guideIsOn(state)) || ask?.phase !== "TURN" || !ask.outlook) return "";
  if (!ask.options.some((option) => option.k === "call")) return "";
  const { districts } = ask.outlook;
  const what = districts >= 3.5 ? "good" : districts >= 2.5 ? "even" : "bad";
  return `${t("advice.outlook", { n: districts })} ${t(`advice.${what}`)}`;
}
