// How a person answers: a click or a tap on what lies there, a drag, a key, a button with words.
//
// Nothing is sent before the choice is whole: the first of two cards can be put back with Esc.

import { dressed, faceChip } from "./art.js";
import { button, h, refill } from "./dom.js";
import { playerName, t } from "./words.js";

const FAR = 8; // pixels that make a drag of a click

export class Chooser {
  /** `send(answer)`; `panel` gets the question and the answers in words. */
  constructor(board, panel, send) {
    this.board = board;
    this.panel = panel;
    this.send = send;
    this.ask = null;
    this.first = null;
    this.touched = null;
    this.question = h("h2", { class: "question", id: "question" });
    this.answers = h("div", { class: "answers", role: "group", "aria-labelledby": "question" });
    this.preview = h("p", { class: "preview" });
    panel.append(this.question, this.answers, this.preview);
    board.root.addEventListener("click", (event) => this.click(event));
    board.root.addEventListener("pointerdown", (event) => this.grab(event));
    for (const kind of ["pointerover", "focusin"]) board.root.addEventListener(kind, (event) => this.peek(event.target));
    for (const kind of ["pointerleave", "focusout"]) board.root.addEventListener(kind, () => this.say(""));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  /** Take a question, or none; `waiting` is what to say then. */
  update(ask, waiting = "") {
    if (ask?.n !== this.ask?.n) this.first = this.touched = null;
    this.ask = ask;
    this.waiting = waiting;
    this.draw();
  }

  get options() {
    return this.ask?.kind === "choose" ? this.ask.options : [];
  }

  find(kind, ...on) {
    return this.options.find((option) => option.k === kind && String(option.on) === String(on));
  }

  // --- what can be chosen -----------------------------------------------------------------

  draw() {
    const ask = this.ask;
    const hadFocus = document.activeElement;
    const wasInside = hadFocus === document.body || this.panel.contains(hadFocus) || this.board.root.contains(hadFocus);
    this.mark();
    this.panel.classList.toggle("mine", Boolean(ask));
    const isNew = refill(this.answers, [ask, this.first], () => (ask ? this.makeAnswers() : []));
    refill(this.question, [ask?.n, this.first, this.waiting], () => dressed(this.title()));
    if (isNew) this.say("");
    if (ask && isNew && wasInside && this.byKeys) {
      (this.panel.querySelector("button:not([disabled])") ?? this.panel).focus();
    }
  }

  title() {
    const ask = this.ask;
    if (!ask) return this.waiting;
    if (ask.kind === "choose") return this.first === null ? ask.question : t("swap.second", { district: this.first + 1 });
    return t(ask.kind === "agree" ? "agree.question" : "again.question");
  }

  makeAnswers() {
    const ask = this.ask;
    if (ask.kind !== "choose") {
      return [true, false].map((yes) =>
        button(t(`${ask.kind}.${yes ? "yes" : "no"}`), () => this.send({ [ask.kind]: yes, n: ask.n }), { class: yes ? "answer main" : "answer" }));
    }
    if (this.options[0].k === "swap") return this.swapAnswers();
    return this.options.map((option) => {
      const answer = button("", () => this.choose(option), { class: `answer k-${option.k}`, "aria-description": option.does, data: { a: option.a } });
      const key = keyOf(option);
      answer.append(key ? h("kbd", { "aria-hidden": "true" }, key.toUpperCase()) : "", h("span", {}, dressed(option.brief)));
      answer.addEventListener("focus", () => this.say(option.does));
      answer.addEventListener("pointerenter", () => this.say(option.does));
      return answer;
    });
  }

  swapAnswers() {
    const { scene } = this.board;
    const rack = scene.racks[scene.player];
    const answers = rack.map((card, district) => {
      const taken = district === this.first;
      const answer = button("", () => this.pick(district), { class: taken ? "answer picked" : "answer", "aria-pressed": String(taken) });
      answer.append(h("kbd", { "aria-hidden": "true" }, String(district + 1)), faceChip(card.f), " ", h("span", {}, t("swap.card", { district: district + 1 })));
      answer.setAttribute("aria-label", this.board.rackSlots.mine[district].firstChild?.dataset.label ?? "");
      return answer;
    });
    return this.first === null ? answers : [...answers, button(t("undo"), () => this.undo(), { class: "answer" })];
  }

  /** What the elements on the table stand for. */
  targets() {
    const { board } = this;
    const found = new Map();
    const add = (element, option) => element && found.set(element, option);
    for (const option of this.options) {
      const [one] = option.on;
      const card = (side, district) => board.rackSlots[side][district].querySelector(".card");
      switch (option.k) {
        case "draw": add(board.pile.querySelector(".card"), option); break;
        case "discard": add(one === 5 ? board.hand.querySelector(".card") : card("mine", one), option); break;
        case "reveal": add(card("mine", one), option); break;
        case "expose": add(card("theirs", one), option); break;
        case "exchange": add(card("mine", one), option); add(card("theirs", one), option); break;
        case "trump": add(board.tokens[one], option); break;
        case "swap": for (const district of option.on) add(card("mine", district), { pick: district }); break;
      }
    }
    return found;
  }

  mark() {
    const targets = this.targets();
    this.marked = targets;
    for (const element of [...this.board.cards.values(), ...(this.board.tokens ?? [])]) {
      const option = targets.get(element);
      element.disabled = !option;
      element.classList.toggle("can", Boolean(option));
      element.classList.toggle("picked", option?.pick !== undefined && option.pick === this.first);
      element.classList.toggle("touched", Boolean(option) && option === this.touched);
      const label = element.dataset.label ?? "";
      element.setAttribute("aria-label", option?.does ?? label);
    }
  }

  say(words) {
    if (this.touched && !words) words = this.touched.does;
    refill(this.preview, words, () => (words ? h("span", {}, dressed(words)) : []));
  }

  peek(target) {
    const option = this.marked?.get(target.closest?.("button"));
    if (option?.does) this.say(option.does);
  }

  // --- choosing ---------------------------------------------------------------------------

  choose(option) {
    if (option.pick !== undefined) return this.pick(option.pick);
    this.touched = null;
    this.send({ choose: option.a, n: this.ask.n });
  }

  pick(district) {
    if (this.first === null || this.first === district) {
      this.first = this.first === district ? null : district;
      this.draw();
      return;
    }
    const pair = [this.first, district].sort();
    this.first = null;
    this.choose(this.find("swap", ...pair));
  }

  undo() {
    this.first = this.touched = null;
    this.draw();
    this.say("");
  }

  click(event) {
    if (this.dragged) return;
    const element = event.target.closest("button");
    const option = this.marked?.get(element);
    if (!option) return;
    if (event.pointerType === "touch" && option.pick === undefined && this.touched !== option) {
      this.touched = option; // a finger doesn't hover: the first tap says what the second will do
      this.mark();
      this.say(option.does);
      this.preview.append(" ", button(t("touch.again"), () => this.choose(option), { class: "answer main" }));
      return;
    }
    this.choose(option);
  }

  // --- dragging ---------------------------------------------------------------------------

  grab(event) {
    const element = event.target.closest?.(".card");
    const option = this.marked?.get(element);
    if (!option || event.button) return;
    this.dragged = false;
    const start = [event.clientX, event.clientY];
    const zones = this.zones(element);
    const move = (now) => {
      const [dx, dy] = [now.clientX - start[0], now.clientY - start[1]];
      if (!this.dragged && Math.hypot(dx, dy) < FAR) return;
      this.dragged = true;
      element.classList.add("dragging");
      element.style.transform = `translate(${dx}px,${dy}px) rotate(2deg)`;
      zones.forEach((_, zone) => zone.classList.add("drop"));
    };
    const end = (now) => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
      element.classList.remove("dragging");
      element.style.transform = "";
      zones.forEach((_, zone) => zone.classList.remove("drop"));
      if (!this.dragged) return;
      setTimeout(() => { this.dragged = false; });
      const zone = document.elementsFromPoint(now.clientX, now.clientY).map((under) => under.closest?.(".slot")).find((slot) => zones.has(slot));
      if (zone && now.type === "pointerup") this.choose(zones.get(zone));
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  }

  /** Where a card may be dropped, and what that means. */
  zones(element) {
    const { board } = this;
    const zones = new Map();
    const add = (slot, option) => option && zones.set(slot, option);
    const { owner } = element.dataset;
    const from = Number(element.dataset.district);
    if (owner === "pile") add(board.hand, this.find("draw"));
    if (owner === "hand") {
      add(board.heap, this.find("discard", 5));
      board.rackSlots.mine.forEach((slot, d) => add(slot, this.find("discard", d)));
    }
    if (owner === "mine") {
      add(board.heap, this.find("discard", from));
      add(board.rackSlots.theirs[from], this.find("exchange", from));
      board.rackSlots.mine.forEach((slot, d) => d !== from && add(slot, this.find("swap", ...[from, d].sort())));
    }
    if (owner === "theirs") add(board.rackSlots.mine[from], this.find("exchange", from));
    return zones;
  }

  // --- keys -------------------------------------------------------------------------------

  key(event) {
    this.byKeys = true;
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, dialog, .log, .talk")) return;
    if (event.key === "Escape") return this.undo();
    if (event.key.startsWith("Arrow")) return this.step(event);
    const pressed = [event.key.toLowerCase(), latin(event)];
    const isSwap = this.options[0]?.k === "swap";
    const digit = pressed.find((key) => /^[1-5]$/.test(key));
    if (isSwap && digit) return this.pick(Number(digit) - 1);
    const option = !isSwap && this.options.find((one) => pressed.includes(keyOf(one)));
    if (option) {
      event.preventDefault();
      this.choose(option);
    }
  }

  /** From one possible answer to the next, on the table or in words. */
  step(event) {
    const here = document.activeElement;
    const group = this.panel.contains(here) ? [...this.answers.querySelectorAll("button")] : [...this.marked.keys()].filter((one) => this.board.root.contains(one));
    if (!group.length) return;
    event.preventDefault();
    const by = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1;
    const at = group.indexOf(here);
    group[at < 0 ? 0 : (at + by + group.length) % group.length].focus();
  }
}

/** What a key would say on a Latin keyboard: others have no D, or no digits without Shift. */
export const latin = (event) => (event.shiftKey ? "" : event.code?.match(/^(?:Key|Digit)(\w)$/)?.[1] ?? "").toLowerCase();

/** The key that stands for an answer. */
export function keyOf(option) {
  if (option.k === "draw") return "d";
  if (option.k === "call") return "c";
  if (option.k === "trump") return t(`press.${option.on[0]}`).toLowerCase();
  return option.on[0] === 5 ? "0" : String(option.on[0] + 1);
}

export { playerName };
