/** The little game `duel/1` of the vectors (see spec/vectors/README.md). */

import { check, range, utf8 } from "./codec.mjs";

export class Duel {
  static title = "duel/1";
  static start = (options) => (options.length === 0 ? new this() : null);

  constructor(answers = []) {
    this.answers = answers;
  }
  answer(value) {
    const { ask, actions, to } = this.pending;
    if (ask === "choose") check(actions.includes(value), "illegal-action", `action ${value}`);
    if (ask === "disclose" && to.length === 2 && this.shown.length === 0) check(value[0] !== 8, "illegal-action", "a lead with card 8");
    return new Duel([...this.answers, value]);
  }
  legal() {
    return this.pending.actions;
  }
  get leader() {
    return this.answers.length > 0 ? this.answers[0][0] : -1;
  }
  get played() {
    return [this.answers[4], this.answers[6]].filter((action) => action !== undefined);
  }
  get shown() {
    return [this.answers[5], this.answers[7]].filter(Boolean).flat();
  }
  publicBytes() {
    return utf8(`(${8 - this.answers.length}, ${this.leader}, [${this.played.join(", ")}], [${this.shown.join(", ")}])`);
  }
  get pending() {
    const choose = (player) => ({ ask: "choose", player, actions: range(3, 3 * player) });
    const disclose = (handles, to) => ({ ask: "disclose", deck: 0, handles, to });
    const { leader, played, shown } = this;
    return [
      () => ({ ask: "order", size: 2, first: 1 }),
      () => ({ ask: "shuffle", deck: 0, size: 9, first: 0 }),
      () => disclose(range(3), [0]),
      () => disclose(range(3, 3), [1]),
      () => choose(leader),
      () => disclose([played[0]], [0, 1]),
      () => choose(1 - leader),
      () => disclose([played[1]], [0, 1]),
      () => ({ ask: "over", winner: shown[1] > shown[0] ? 1 - leader : leader }),
    ][this.answers.length]();
  }
}
