/**
 * Prints random games by rules.mjs alone, one a line, for another program to play again:
 * `node games.mjs COUNT SEED`. Of each step it says what was asked, the answer, and a
 * hash of the public bytes after it; of a choice also the actions that are legal for who sees the cards.
 */

import { createHash } from "node:crypto";
import { sha512 } from "@noble/hashes/sha2.js";
import { concat, hex, u64, utf8 } from "./codec.mjs";
import { below, permutation } from "./group.mjs";
import { DraculaVsVanHelsing, valueOf } from "./rules.mjs";
import { Stream } from "./transcript.mjs";

const [count = "1", seed = ""] = process.argv.slice(2);

const hash = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);
const chance = new Stream((i) => sha512(concat(utf8(seed), [0], u64(i))));
const shuffled = (n) => permutation(n, chance);
const pick = (list) => list[below(list.length, chance)];

/** A copy that sees everything, so that it never discards an 8 too early. */
function playOne() {
  const hp = pick([11, 12, 13]);
  const decks = [0, 1, 2, 3, 4].map(() => shuffled(32));
  const patient = pick([true, false]); // some never call or end a round by an 8, so that piles run out
  let game = DraculaVsVanHelsing.start(hp === 12 ? [] : [hp]);
  const steps = [];
  while (game.pending.ask !== "over") {
    const { ask, size, deck, handles } = game.pending;
    let answer = null;
    if (ask === "order") answer = shuffled(size);
    else if (ask === "disclose") answer = handles.map((handle) => decks[deck][handle]);
    else if (ask === "choose") {
      const ends = (action) => action === 1 || (action >= 2 && action <= 7 && valueOf(decks[game.round][game.discardable(action)]) === 8);
      const legal = game.legal();
      const others = legal.filter((action) => !ends(action));
      answer = pick(patient && others.length ? others : legal);
    }
    const asked = ask === "choose" ? { ...game.pending, legal: game.legal() } : game.pending;
    game = game.answer(answer);
    steps.push({ ...asked, answer, state: hash(game.publicBytes()) });
  }
  return { hp, decks, steps, winner: game.pending.winner, last: hex(game.publicBytes()) };
}

for (let left = Number(count); left > 0; left--) console.log(JSON.stringify(playOne()));
