/**
 * The rules (rules.md): a machine over public information that asks for one thing at a time.
 *
 * A game has `pending`, one of
 *   { ask: "order", size, first }, { ask: "shuffle", deck, size, first }, { ask: "disclose", deck, handles, to },
 *   { ask: "choose", player, actions }, { ask: "over", winner, reason };
 * and `answer(value)`, which gives the game after it. Games are never changed.
 */

import { check, range } from "./codec.mjs";

export const DRACULA = 0;
export const VAN_HELSING = 1;
const NONE = 255;
const DRAW = 0;
const CALL = 1;
const TOP_BIT = 10; // of face_up: the top of the pile, or the drawn card
const PAIRS = range(5).flatMap((a) => range(4 - a, a + 1).map((b) => [a, b]));

const [ORDER, SHUFFLE, DEAL_VAN_HELSING, DEAL_DRACULA, TURN, DRAWN, DISCARD, DISCARDED, TARGET, SHOWN, END_DRACULA, END_VAN_HELSING, OVER] = range(13);

const colourOf = (face) => face >> 3;
export const valueOf = (face) => (face & 7) + 1;

export class DraculaVsVanHelsing {
  static title = "dracula-vs-van-helsing/1";

  /** The options of section 1, or null where they are none. */
  static start(options) {
    if (options.length === 0) return new this(12);
    return options.length === 1 && (options[0] === 11 || options[0] === 13) ? new this(options[0]) : null;
  }

  constructor(hp) {
    Object.assign(this, {
      startHp: hp, hp, round: 0, phase: ORDER, player: 0, caller: NONE, ranking: Array(4).fill(NONE), vampires: Array(5).fill(0),
      rack: range(10), hand: NONE, top: 10, faceUp: 0, target: NONE, faces: Array(32).fill(NONE), discards: [],
      seen: Array(32).fill(NONE), // what this copy was shown, public or not
      pending: { ask: "order", size: 4, first: VAN_HELSING },
    });
  }

  /** Section 9 */
  publicBytes() {
    const discards = [...this.discards, ...Array(22 - this.discards.length).fill(NONE)];
    return Uint8Array.from([
      1, this.startHp, this.hp, this.round, this.phase, this.player, this.caller, ...this.ranking, ...this.vampires, ...this.rack,
      this.hand, this.top, this.faceUp >> 8, this.faceUp & 255, this.target, ...this.faces, ...discards,
    ]);
  }

  answer(value) {
    const next = Object.assign(new this.constructor(this.startHp), structuredClone({ ...this }));
    next.#take(value);
    return next;
  }

  /** Those of the pending actions that a player may really choose: not an 8 too early. */
  legal() {
    return this.pending.actions.filter((action) => this.phase !== DISCARD || !this.#tooEarly(this.seen[this.discardable(action)]));
  }

  /* The state */

  #lies = (bit) => Boolean(this.faceUp & (1 << bit));
  #turn(bit, up) {
    this.faceUp = up ? this.faceUp | (1 << bit) : this.faceUp & ~(1 << bit);
  }
  #exchange(p, q) {
    const up = [this.#lies(p), this.#lies(q)];
    [this.rack[p], this.rack[q]] = [this.rack[q], this.rack[p]];
    this.#turn(p, up[1]);
    this.#turn(q, up[0]);
  }
  #known = (handle) => this.faces[handle] !== NONE;
  #place = (player, district) => 5 * player + district;
  #tooEarly = (face) => face !== NONE && valueOf(face) === 8 && this.discards.length < 6;
  /** The handle that a choice of a discard means. */
  discardable(action) {
    return action === 7 ? this.hand : this.rack[this.#place(this.player, action - 2)];
  }
  get #opponent() {
    return 1 - this.player;
  }

  #ask(phase, pending) {
    this.phase = phase;
    this.pending = pending;
  }
  /** A choice among one is no choice. */
  #choose(phase, actions) {
    this.#ask(phase, { ask: "choose", player: this.player, actions });
    if (actions.length === 1) this.#take(actions[0]);
  }
  /** Disclose what of the handles is not public; without any, the answer is at once nothing. */
  #disclose(phase, handles, to) {
    const hidden = handles.filter((handle) => !this.#known(handle));
    this.#ask(phase, { ask: "disclose", deck: this.round, handles: hidden, to });
    if (hidden.length === 0) this.#take([]);
  }

  #takeFaces(faces) {
    const { handles, to } = this.pending;
    check(faces.length === handles.length, "illegal-action", "another number of faces");
    handles.forEach((handle, i) => {
      const face = faces[i];
      if (face === null) return;
      const at = this.seen.indexOf(face);
      check(this.seen[handle] === NONE ? at === -1 : at === handle, "illegal-action", "a face at two handles");
      this.seen[handle] = face;
      if (to.length === 2) this.faces[handle] = face;
    });
  }

  #take(value) {
    switch (this.phase) {
      case ORDER:
        this.ranking = value;
        return this.#ask(SHUFFLE, { ask: "shuffle", deck: 0, size: 32, first: VAN_HELSING });
      case SHUFFLE:
        Object.assign(this, {
          player: DRACULA, caller: NONE, rack: range(10), hand: NONE, top: 10, faceUp: 0, target: NONE,
          faces: Array(32).fill(NONE), seen: Array(32).fill(NONE), discards: [],
        });
        return this.#disclose(DEAL_VAN_HELSING, range(5, 5), [VAN_HELSING]);
      case DEAL_VAN_HELSING:
        this.#takeFaces(value);
        return this.#disclose(DEAL_DRACULA, range(5), [DRACULA]);
      case DEAL_DRACULA:
        this.#takeFaces(value);
        return this.#startTurn(DRACULA);
      case DRAWN:
        this.#takeFaces(value);
        return this.#choose(DISCARD, range(6, 2).filter((action) => !this.#tooEarly(this.faces[this.discardable(action)])));
      case DISCARDED:
        this.#takeFaces(value);
        return this.#discarded();
      case SHOWN:
        this.#takeFaces(value);
        return this.#shown();
      case END_DRACULA:
        this.#takeFaces(value);
        return this.#disclose(END_VAN_HELSING, this.rack.slice(5), [DRACULA, VAN_HELSING]);
      case END_VAN_HELSING:
        this.#takeFaces(value);
        return this.#score();
    }
    check(this.pending.ask === "choose" && this.pending.actions.includes(value), "illegal-action", `action ${value}`);
    if (this.phase === TURN) return value === CALL ? this.#call() : this.#draw();
    if (this.phase === DISCARD) return this.#discard(value);
    return this.#aim(value);
  }

  /* Section 3, turns */

  #startTurn(player) {
    this.player = player;
    const callable = this.caller === NONE && this.discards.length >= 6;
    this.#choose(TURN, callable ? [DRAW, CALL] : [DRAW]);
  }
  #call() {
    this.caller = this.player;
    this.#startTurn(this.#opponent);
  }
  #draw() {
    this.hand = this.top++;
    this.#disclose(DRAWN, [this.hand], [this.player]);
  }
  #discard(action) {
    const drawn = this.hand;
    const up = this.#lies(TOP_BIT);
    this.#turn(TOP_BIT, false);
    this.hand = this.discardable(action);
    this.target = action - 2;
    if (this.target < 5) {
      const place = this.#place(this.player, this.target);
      this.rack[place] = drawn;
      this.#turn(place, up);
    }
    this.#disclose(DISCARDED, [this.hand], [DRACULA, VAN_HELSING]);
  }
  #discarded() {
    check(!this.#tooEarly(this.faces[this.hand]), "illegal-action", "an 8 too early");
    this.discards.push(this.hand);
    this.hand = this.target = NONE;
    this.#effect();
  }

  /* Section 4, effects */

  get #effectValue() {
    return valueOf(this.faces[this.discards.at(-1)]);
  }
  #effect() {
    const faceDown = (player) => range(5).filter((district) => !this.#lies(this.#place(player, district)));
    const targets = {
      1: () => faceDown(this.player).map((district) => 8 + district),
      3: () => faceDown(this.#opponent).map((district) => 13 + district),
      4: () => range(10, 18),
      6: () => range(5, 28),
      7: () => range(4).filter((colour) => colour !== this.ranking[0]).map((colour) => 33 + colour),
    }[this.#effectValue];
    if (targets) {
      const actions = targets();
      return actions.length === 0 ? this.#afterEffect() : this.#choose(TARGET, actions);
    }
    if (this.#effectValue === 2 && this.top < 32) {
      this.#turn(TOP_BIT, true);
      return this.#disclose(SHOWN, [this.top], [DRACULA, VAN_HELSING]);
    }
    this.#afterEffect();
  }
  #aim(action) {
    const both = [DRACULA, VAN_HELSING];
    if (action >= 33) {
      const at = this.ranking.indexOf(action - 33);
      [this.ranking[0], this.ranking[at]] = [this.ranking[at], this.ranking[0]];
      return this.#afterEffect();
    }
    if (action >= 28) {
      this.target = action - 28;
      return this.#disclose(SHOWN, both.map((player) => this.rack[this.#place(player, this.target)]), both);
    }
    if (action >= 18) {
      this.#exchange(...PAIRS[action - 18].map((district) => this.#place(this.player, district)));
      return this.#afterEffect();
    }
    this.target = action >= 13 ? action - 13 : action - 8;
    const place = this.#place(action >= 13 ? this.#opponent : this.player, this.target);
    this.#turn(place, true);
    this.#disclose(SHOWN, [this.rack[place]], both);
  }
  #shown() {
    if (this.#effectValue === 6) this.#exchange(this.target, 5 + this.target);
    this.target = NONE;
    this.#afterEffect();
  }
  #afterEffect() {
    const value = this.#effectValue;
    if (value === 8 || this.top === 32) return this.#endRound();
    if (value === 5) return this.#startTurn(this.player);
    if (this.caller !== NONE) return this.#endRound();
    this.#startTurn(this.#opponent);
  }

  /* Section 5, the end of a round */

  #endRound() {
    this.#disclose(END_DRACULA, this.rack.slice(0, 5), [DRACULA, VAN_HELSING]);
  }
  #score() {
    for (const place of range(10)) this.#turn(place, true);
    for (const district of range(5)) {
      const [dracula, vanHelsing] = [this.rack[district], this.rack[5 + district]].map((handle) => this.faces[handle]);
      if (this.#beats(dracula, vanHelsing)) {
        if (++this.vampires[district] === 4) return this.#over(DRACULA, "four vampires");
      } else if (--this.hp === 0) return this.#over(VAN_HELSING, "no health");
    }
    if (this.round === 4) return this.#over(DRACULA, "five rounds");
    this.round++;
    this.#ask(SHUFFLE, { ask: "shuffle", deck: this.round, size: 32, first: VAN_HELSING });
  }
  #beats(a, b) {
    const rank = (face) => this.ranking.indexOf(colourOf(face));
    const trump = (face) => (rank(face) === 0 ? 1 : 0);
    return (trump(a) - trump(b) || valueOf(a) - valueOf(b) || rank(b) - rank(a)) > 0;
  }
  #over(winner, reason) {
    this.#ask(OVER, { ask: "over", winner, reason });
  }
}
