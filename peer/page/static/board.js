// The table: two racks, five districts, piles and ranking, drawn from a scene.
//
// A card keeps its element as long as its round lasts, so wherever it goes, it can be followed:
// positions are measured before and after a change, and the difference is played (FLIP).

import { cardArt, chip, dressed, faceChip, houseArt, shape, valueOf } from "./art.js";
import { $, button, h, prefersStill, refill } from "./dom.js";
import { cardName, colourName, playerName, t } from "./words.js";

const DISTRICTS = [0, 1, 2, 3, 4];
const MOVE = { duration: 420, easing: "cubic-bezier(.3,.7,.3,1)" };

export class Board {
  constructor(root) {
    this.root = root;
    this.build();
  }

  build() {
    this.cards = new Map();
    this.scene = null;
    this.ranking?.replaceChildren();
    const slots = (owner) => DISTRICTS.map((district) =>
      h("div", { class: "slot", data: { owner, district } }));
    this.rackSlots = { theirs: slots("theirs"), mine: slots("mine") };
    this.houses = DISTRICTS.map((district) =>
      h("div", { class: "district", role: "img", data: { district } }));
    this.labels = { theirs: h("div", { class: "who theirs" }), mine: h("div", { class: "who mine" }) };
    this.columns = DISTRICTS.map((district) => h("div", { class: "lane", data: { district }, "aria-hidden": "true" }));
    this.pile = h("div", { class: "slot pile", data: { owner: "pile" } });
    this.hand = h("div", { class: "slot hand", data: { owner: "hand" } });
    this.heap = h("div", { class: "slot heap", data: { owner: "discard" } });
    this.ranking = h("div", { class: "ranking", role: "group" });
    this.health = h("div", { class: "health", role: "img" });
    this.counts = { pile: h("span", { class: "count" }), heap: button("", () => this.onbrowse?.(), { class: "count link" }), hand: h("span", { class: "count" }) };
    this.fx = h("div", { class: "fx", "aria-hidden": "true" });
    this.root.replaceChildren(
      h("div", { class: "town" },
        ...this.columns,
        this.labels.theirs, ...this.rackSlots.theirs, ...this.houses, ...this.rackSlots.mine, this.labels.mine, this.fx),
      h("div", { class: "side" },
        this.health, this.ranking,
        h("div", { class: "piles" },
          h("div", { class: "place" }, this.pile, this.counts.pile),
          h("div", { class: "place" }, this.hand, this.counts.hand),
          h("div", { class: "place" }, this.heap, this.counts.heap))));
  }

  /** Draw `scene`; `moves` plays how the cards get there. */
  render(scene, { moves = true, name = "" } = {}) {
    const before = moves && !prefersStill() && this.scene ? this.measure() : null;
    const old = this.scene;
    this.scene = scene;
    const me = scene.player;
    const wanted = new Map();
    const put = (slot, card, where) => card && wanted.set(`${scene.deck}:${card.h}`, { slot, card, where });
    if (scene.dealt) {
      DISTRICTS.forEach((d) => {
        put(this.rackSlots.theirs[d], scene.racks[1 - me][d], { owner: "theirs", district: d });
        put(this.rackSlots.mine[d], scene.racks[me][d], { owner: "mine", district: d });
      });
      put(this.pile, scene.top, { owner: "pile" });
      put(this.hand, scene.drawn, { owner: "hand" });
      scene.discards.slice(-3).forEach((card) => put(this.heap, card, { owner: "discard" }));
    }
    for (const [key, element] of this.cards) {
      if (!wanted.has(key)) {
        element.remove();
        this.cards.delete(key);
      }
    }
    for (const [key, { slot, card, where }] of wanted) this.place(key, slot, card, where);
    this.drawHouses(scene);
    this.drawLabels(scene, name);
    this.drawSide(scene);
    if (before) this.play(before, old);
  }

  place(key, slot, card, where) {
    let element = this.cards.get(key);
    if (!element) {
      element = h("button", { type: "button", class: "card", disabled: true });
      this.cards.set(key, element);
    }
    const wasFace = element.dataset.face;
    const looks = [card.f, card.lies, where.owner];
    refill(element, looks, () => [cardArt(card.f), tag(card, where)]);
    element.dataset.lies = card.lies;
    element.dataset.face = card.f;
    element.dataset.owner = where.owner;
    element.dataset.district = where.district ?? "";
    element.dataset.turned = wasFace !== undefined && wasFace !== String(card.f) ? "1" : "";
    element.dataset.label = this.label(card, where);
    element.setAttribute("aria-label", element.dataset.label);
    if (element.parentNode !== slot) slot.append(element);
    else if (where.owner === "discard") slot.append(element);
  }

  label(card, where) {
    const lies = t(`lies.${card.lies}.${card.f < 0 ? "unseen" : where.owner === "mine" ? "mine" : "theirs"}`, { card: cardName(card.f) });
    switch (where.owner) {
      case "mine": return t("place.mine", { district: where.district + 1, card: lies });
      case "theirs": return t("place.theirs", { district: where.district + 1, card: lies });
      case "pile": return t("place.pile", { card: lies });
      case "hand": return t("place.hand", { card: lies });
      default: return t("place.discard", { card: cardName(card.f) });
    }
  }

  drawHouses(scene) {
    DISTRICTS.forEach((d) => {
      const vampires = scene.vampires[d];
      const house = this.houses[d];
      if (refill(house, vampires, () => [
        houseArt(d, vampires),
        h("span", { class: "number" }, String(d + 1)),
        h("span", { class: "people" }, t("people.short", { vampires })),
      ])) house.setAttribute("aria-label", t("district.people", { district: d + 1, n: vampires }));
      house.classList.toggle("danger", vampires === 3);
    });
  }

  drawLabels(scene, name) {
    for (const side of ["mine", "theirs"]) {
      const player = side === "mine" ? scene.player : 1 - scene.player;
      const isTurn = scene.turn === player && scene.phase !== "OVER";
      refill(this.labels[side], [player, name, isTurn, scene.caller === player, scene.label?.[side]], () => [
        h("span", { class: "token", "aria-hidden": "true" }, player === 0 ? "V" : "H"),
        h("b", {}, playerName(player)),
        h("span", { class: "name" }, scene.label?.[side] ?? (side === "mine" ? t("who.you") : name)),
        scene.caller === player ? h("span", { class: "called" }, t("who.called")) : null,
        isTurn ? h("span", { class: "turn" }, t(side === "mine" && !scene.label ? "who.your-turn" : "who.turn")) : null,
      ]);
      this.labels[side].append(this.clocks?.[side] ?? "");
    }
  }

  drawSide(scene) {
    refill(this.health, [scene.hp, scene.startHp], () => [
      h("span", { class: "title" }, t("health.title")),
      h("span", { class: "drops" }, Array.from({ length: scene.startHp }, (_, at) =>
        h("i", { class: at < scene.hp ? "drop" : "drop spent" }))),
      h("b", {}, String(scene.hp)),
    ]);
    this.health.setAttribute("aria-label", t("health.label", { hp: scene.hp, start: scene.startHp }));
    this.ranking.setAttribute("aria-label", t("ranking.label"));
    const tokens = this.tokens ??= [0, 1, 2, 3].map((colour) =>
      h("button", { type: "button", class: `token paint${colour}`, disabled: true, data: { colour } },
        shape(colour, 18), h("span", { "aria-hidden": "true" }, t(`letter.${colour}`))));
    if (scene.ranking.length) {
      const key = scene.ranking.join();
      if (this.ranking.dataset.key !== key) {
        this.ranking.dataset.key = key;
        const [trump, ...others] = scene.ranking.map((colour) => tokens[colour]);
        this.ranking.replaceChildren(
          h("span", { class: "title" }, t("ranking.then")), h("span", { class: "others" }, ...others),
          h("span", { class: "title strong" }, t("ranking.trump")), h("span", { class: "trump" }, trump));
        scene.ranking.forEach((colour, rank) => {
          tokens[colour].dataset.label = t(rank ? "ranking.other" : "ranking.first", { colour: colourName(colour), n: rank });
          tokens[colour].setAttribute("aria-label", tokens[colour].dataset.label);
        });
      }
    } else {
      this.ranking.dataset.key = "";
      this.ranking.replaceChildren(h("span", { class: "title" }, t("ranking.none")));
    }
    this.counts.pile.textContent = t("pile.count", { n: scene.pile });
    this.counts.heap.textContent = t("discards.count", { n: scene.discards.length });
    this.counts.heap.disabled = !scene.discards.length;
    this.counts.hand.textContent = scene.drawn ? t(scene.turn === scene.player ? "hand.yours" : "hand.theirs") : t("hand.empty");
    this.root.classList.toggle("may-end", scene.discards.length >= 6);
  }

  // --- movement ------------------------------------------------------------------------------

  measure() {
    const places = new Map();
    const note = (key, element) => {
      const box = element.getBoundingClientRect();
      if (box.width) places.set(key, box);
    };
    this.cards.forEach((element, key) => note(key, element));
    this.tokens?.forEach((element, colour) => note(`token${colour}`, element));
    return places;
  }

  play(before) {
    const follow = (key, element, from) => {
      const to = element.getBoundingClientRect();
      const dx = from.left - to.left;
      const dy = from.top - to.top;
      if (Math.abs(dx) + Math.abs(dy) > 2) {
        element.animate([{ transform: `translate(${dx}px,${dy}px)`, zIndex: 5 }, { transform: "none", zIndex: 5 }], MOVE);
      } else if (element.dataset.turned) {
        element.animate([{ transform: "rotateY(90deg)" }, { transform: "none" }], MOVE);
      }
    };
    const pile = this.pile.getBoundingClientRect();
    this.cards.forEach((element, key) => {
      const from = before.get(key) ?? (element.dataset.owner === "pile" ? null : pile);
      if (from) follow(key, element, from);
    });
    this.tokens?.forEach((element, colour) => {
      const from = before.get(`token${colour}`);
      if (from) follow(colour, element, from);
    });
  }

  /** What an event looks like, beside the cards that move. */
  show(event) {
    if (prefersStill() || !this.has(event)) return false;
    const picture = EFFECTS[event.k](event, this);
    const { kind, at, text } = picture;
    const element = h("div", { class: `burst ${kind}` }, text ?? "");
    const base = this.fx.getBoundingClientRect();
    const boxes = (at ?? []).map((one) => one.getBoundingClientRect());
    if (boxes.length) {
      const left = Math.min(...boxes.map((box) => box.left)) - base.left;
      const top = Math.min(...boxes.map((box) => box.top)) - base.top;
      element.style.left = `${left}px`;
      element.style.top = `${top}px`;
      element.style.width = `${Math.max(...boxes.map((box) => box.right)) - base.left - left}px`;
      element.style.height = `${Math.max(...boxes.map((box) => box.bottom)) - base.top - top}px`;
    } else {
      element.classList.add("wide");
    }
    this.fx.append(element);
    setTimeout(() => element.remove(), 900);
    return true;
  }

  /** Whether there is something to show of an event. */
  has(event) {
    return event.k in EFFECTS;
  }

  slot(player, district) {
    return this.rackSlots[player === this.scene.player ? "mine" : "theirs"][district];
  }

  highlight(district) {
    this.columns.forEach((lane, d) => lane.classList.toggle("now", d === district));
  }
}

const EFFECTS = {
  Revealed: (event, board) => ({ kind: "reveal", at: [board.slot(event.player, event.district)] }),
  TopTurned: (event, board) => ({ kind: "reveal", at: [board.pile] }),
  Exposed: (event, board) => ({ kind: "lantern", at: [board.slot(1 - event.player, event.district)] }),
  Swapped: (event, board) => ({ kind: "swap", at: [board.slot(event.player, event.first), board.slot(event.player, event.second)], text: "⇄" }),
  ExtraTurn: () => ({ kind: "extra", text: "+1" }),
  Exchanged: (event, board) => ({ kind: "mist", at: [board.slot(0, event.district), board.slot(1, event.district)], text: "⇅" }),
  TrumpChanged: (event, board) => ({ kind: "crown", at: [board.ranking] }),
  Called: () => ({ kind: "bell", text: "!" }),
  RoundEnded: () => ({ kind: "dawn" }),
};

function tag(card, where) {
  if (card.f < 0 || where.owner === "discard") return null;
  return card.lies === "hidden" ? null : h("span", { class: "tag", "aria-hidden": "true" }, t(`tag.${card.lies}`));
}

export { chip, dressed, faceChip, valueOf };
