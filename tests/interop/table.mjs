/** One game as one record: whose turn it is, what every entry must be, what follows (protocol.md section 14). */

import { Fault, check, encode, equal, hex } from "./codec.mjs";
import * as entries from "./entries.mjs";
import { NO_HEAD } from "./entries.mjs";
import { G, cardPoint, decodeScalar, faceOf, freshDeck, mul, scalarBytes, scalarFrom } from "./group.mjs";
import * as proofs from "./proofs.mjs";
import { PROTOCOL, contextParts, digest } from "./transcript.mjs";

export const HOST = 0;
export const GUEST = 1;

/** We end the line with BYE 2: an offer that is not taken (13.7), or entries of our own that we have lost (13.6). */
export class Declined extends Error {}

export class Table {
  /**
   * @param {number|null} side ours, or null for a witness (section 16)
   * @param {object} games the rules by their names
   * @param {object} own identitySeed, seed, name, rng; the host's offer: { game, options, seat, clock, started };
   *   peer: the identity on the line, where it is known
   */
  constructor(side, games, own = {}) {
    Object.assign(this, {
      side, games, own, raws: [], decoded: [], heads: [NO_HEAD], phase: "opening", due: [[HOST, "OFFER"], [GUEST, "ACCEPT"], [HOST, "KEY"]],
      identities: [null, null], keys: [null, null], secrets: [null, null], decks: [], coin: null, request: null, game: null,
      players: null, proposed: false, parked: null, lastAuthor: null, lastActor: null, winner: null, resigned: false, saw: [],
    });
    if (own.seed) this.secret = scalarFrom("secret-key", own.seed);
  }

  get head() {
    return this.heads.at(-1);
  }
  get complete() {
    return this.phase === "complete";
  }
  /** [side, kind] of the next entry, or undefined. */
  get next() {
    return this.due[0];
  }
  get player() {
    return this.players?.[this.side];
  }
  #sideOf = (player) => this.players.indexOf(player);
  #context = (side, deck, head = this.head) => ({ gameId: this.gameId, host: this.identities[HOST], guest: this.identities[GUEST], side, deck, head });

  /* Reading (14.5). An entry that is refused changes nothing: everything is done in a copy first. */

  take(raw) {
    const number = this.raws.length;
    let entry;
    try {
      entry = entries.decodeEntry(raw); // 1
      const { author } = entry;
      if (this.side === author) this.#reflected(entry); // 2
      if (entry.number < number) return this.#again(entry); // 3
      check(entry.number === number && equal(entry.previous, this.head), "broken-chain"); // 4
      this.#checkDue(entry); // 5
      check(this.#signed(entry), "bad-signature"); // 6
      const copy = this.#copy();
      copy.#apply(entry); // 7, 8
      check(equal(entry.state, copy.#state()), "state-mismatch", `after entry ${entry.number}: ${hex(copy.game.publicBytes())}`); // 9
      copy.#keep(entry);
      Object.assign(this, copy);
    } catch (error) {
      if (error.fault && error.blamed === null) error.blamed = this.side === null ? (entry?.author ?? null) : 1 - this.side;
      throw error;
    }
  }

  #copy() {
    const copy = Object.assign(new Table(this.side, this.games), this);
    copy.decks = this.decks.map(({ cards, shares }) => ({ cards, shares: shares.map((map) => new Map(map)) }));
    for (const name of ["raws", "decoded", "heads", "due", "identities", "keys", "secrets", "saw"]) copy[name] = [...this[name]];
    return copy;
  }

  #keep(entry) {
    this.raws.push(entry.raw);
    this.decoded.push(entry);
    this.heads.push(entry.head);
  }

  /** An entry of our own comes back: it is played back to us, or we have lost it. */
  #reflected({ number, previous, head, signature }) {
    const next = number === this.raws.length && equal(previous, this.head);
    const lost = next && entries.verify(entries.publicKey(this.own.identitySeed), head, signature);
    if (lost) throw new Declined(`we have lost our entry ${number}`);
    throw new Fault("reflection", "an entry of our own");
  }

  /** 14.6 */
  #again(entry) {
    const known = this.decoded[entry.number];
    if (equal(entry.raw, known.raw)) return;
    check(this.identities[entry.author], "unexpected", "of somebody who is not known yet");
    check(this.#signed(entry), "bad-signature");
    if (equal(entry.content, known.content)) return;
    check(entry.number > 0 && equal(entry.previous, known.previous), "broken-chain", "an entry of another game");
    check(known.author === entry.author, "unexpected", "this place is taken by an entry of ours");
    check(false, "equivocation");
  }

  #signed({ author, body, head, signature }) {
    return entries.verify(this.identities[author] ?? body.identity, head, signature);
  }

  #checkDue({ author, kind }) {
    check(this.next && author === this.next[0], "unexpected", `${kind} by side ${author}`);
    if (kind === this.next[1]) return;
    const mayResign = kind === "RESIGN" && (this.phase === "play" || this.phase === "proposal");
    const mayPropose = kind === "PROPOSE" && this.phase === "play" && !this.proposed;
    check(mayResign || mayPropose, "unexpected", `${kind} instead of ${this.next[1]}`);
  }

  #state = () => entries.stateHash(this.game.publicBytes());

  /* What each kind does */

  #apply(entry) {
    if (entry.kind === this.next[1]) this.due.shift();
    this.lastAuthor = entry.author;
    this[`on${entry.kind}`](entry.author, entry.body, entry);
    while (this.phase === "play" && this.due.length === 0) this.#prepare();
  }

  onOFFER(author, body, { head }) {
    this.#meet(author, body.identity);
    const rules = body.protocol === PROTOCOL && this.games[body.game];
    const game = rules && rules.start(body.options);
    if (!game) throw new Declined(`${body.protocol}, ${body.game}`);
    Object.assign(this, { game, offer: body, afterOffer: head });
    this.identities[HOST] = body.identity;
  }

  /** Who the other side says it is. */
  #meet(author, identity) {
    if (this.side === null || author === this.side) return;
    check(!equal(identity, entries.publicKey(this.own.identitySeed)), "reflection", "our own identity");
    check(!this.own.peer || equal(identity, this.own.peer), "unexpected", "not the identity on the line");
  }

  onACCEPT(author, body) {
    check(!equal(body.identity, this.identities[HOST]), "reflection", "the identity of the host");
    this.#meet(author, body.identity);
    this.identities[GUEST] = body.identity;
    this.gameId = entries.gameId(this.afterOffer, body.identity, body.nonce);
    this.keys[GUEST] = proofs.checkKey(body.keyShare, this.#context(GUEST, -1));
  }

  onKEY(author, body) {
    this.keys[HOST] = proofs.checkKey(body.keyShare, this.#context(HOST, -1));
    this.joint = proofs.jointKey(...this.keys);
    if (this.offer.seat === null) {
      this.phase = "seats";
      this.due = this.#coinScript(HOST);
    } else this.#seat(this.offer.seat);
  }

  #seat(hostPlayer) {
    this.players = [hostPlayer, 1 - hostPlayer];
    this.phase = "play";
  }
  #coinScript = (leader) => [[leader, "COMMIT"], [1 - leader, "ANSWER"], [leader, "OPEN"]];

  onCOMMIT(author, { value }) {
    this.coin = { context: this.#context(author, -1), commitment: value };
  }
  onANSWER(author, { value }) {
    this.coin = { ...this.coin, answer: value };
  }
  onOPEN(author, { value }) {
    const { context, commitment, answer } = this.coin;
    proofs.checkOpening(context, commitment, value);
    if (this.phase === "seats") this.#seat(proofs.coinBit(context, value, answer));
    else this.#tell(proofs.coinOrder(this.request.size, context, value, answer));
  }

  #deckBefore = () => this.decks[this.request.deck]?.cards ?? freshDeck(this.request.size, this.joint);

  onSHUFFLE(author, { cards, proof }) {
    const { deck } = this.request;
    const after = proofs.checkShuffle(this.#deckBefore(), cards, proof, this.joint, this.#context(author, deck));
    this.decks[deck] = { cards: after, shares: [new Map(), new Map()] };
    if (this.due.length === 0) this.#tell(null);
  }

  /** 14.4 */
  #owed(side) {
    const { deck, handles, to } = this.request;
    if (!to.some((player) => player === this.players[1 - side])) return [];
    return handles.filter((handle) => !this.decks[deck].shares[side].has(handle));
  }
  #bases = (handles) => handles.map((handle) => this.decks[this.request.deck].cards[handle].a);

  onSHARE(author, { shares, proof }) {
    const { deck } = this.request;
    const owed = this.#owed(author);
    const points = proofs.checkShares(this.keys[author], this.#bases(owed), shares, proof, this.#context(author, deck));
    owed.forEach((handle, i) => this.decks[deck].shares[author].set(handle, points[i]));
    if (this.due.length === 0) this.#disclosed();
  }

  #disclosed() {
    const { deck, handles, to } = this.request;
    const visible = to.length === 2 || to[0] === this.player;
    const faces = handles.map((handle) => (visible ? this.faceAt(deck, handle) : null));
    this.saw.push(faces);
    try {
      this.#tell(faces);
    } catch (error) {
      if (error.fault === "illegal-action") error.blamed = this.lastActor; // whose action shows only now to be one
      throw error;
    }
  }

  /** The face of a card, as far as shares of the record, our secret and secrets that are unsealed show it; or null. */
  faceAt(deck, handle) {
    const { cards, shares } = this.decks[deck];
    const both = [HOST, GUEST].map((side) => {
      const secret = side === this.side ? this.secret : this.secrets[side];
      return shares[side].get(handle) ?? (secret && mul(cards[handle].a, secret));
    });
    return both.every(Boolean) ? faceOf(cards[handle], both, cards.length) : null;
  }

  onACT(author, { action }) {
    this.proposed = false;
    this.lastActor = author;
    this.#tell(action);
  }
  onRESIGN(author) {
    this.resigned = true;
    this.#end(1 - this.players[author]);
  }
  onPROPOSE(author) {
    this.proposed = true;
    this.parked = this.due;
    this.phase = "proposal";
    this.due = [[1 - author, "REPLY"]];
  }
  onREPLY(author, { agrees }) {
    if (agrees) return this.#end(null);
    this.phase = "play";
    this.due = this.parked;
  }

  #end(winner) {
    this.winner = winner;
    this.phase = "over";
    const leader = winner === null ? HOST : this.#sideOf(winner);
    this.due = [[leader, "UNSEAL"], [1 - leader, "UNSEAL"]];
  }

  onUNSEAL(author, { secret }) {
    const x = decodeScalar(secret);
    check(x !== 0n && mul(G, x).equals(this.keys[author]), "bad-opening", "another secret");
    this.secrets[author] = x;
    if (this.due.length === 0) this.phase = "complete";
  }

  #tell(answer) {
    this.game = this.game.answer(answer);
    this.request = null;
  }

  /** The script for what the game asks now (14.1, 14.3). */
  #prepare() {
    const request = (this.request = this.game.pending);
    if (request.ask === "order") this.due = this.#coinScript(this.#sideOf(request.first));
    else if (request.ask === "shuffle") this.due = [this.#sideOf(request.first), this.#sideOf(1 - request.first)].map((side) => [side, "SHUFFLE"]);
    else if (request.ask === "choose") this.due = [[this.#sideOf(request.player), "ACT"]];
    else if (request.ask === "over") this.#end(request.winner);
    else {
      const leader = this.lastAuthor;
      this.due = [leader, 1 - leader].filter((side) => this.#owed(side).length > 0).map((side) => [side, "SHARE"]);
      if (this.due.length === 0) this.#disclosed();
    }
  }

  /* Writing. Our own entries are checked like the other's. */

  /** Writes the entry that is due, or another that is allowed. `value` is the action of ACT, or what REPLY says. */
  write(kind = this.next[1], value = undefined) {
    const { identitySeed, rng } = this.own;
    const author = this.side;
    const context = this.#context(author, -1);
    const make = {
      OFFER: () => {
        const { game, options, seat, clock, started } = this.own.offer;
        return { protocol: PROTOCOL, game, options, seat, clock, identity: entries.publicKey(identitySeed), name: this.own.name, nonce: rng.read(32), started };
      },
      ACCEPT: () => {
        const identity = entries.publicKey(identitySeed);
        const nonce = rng.read(32);
        const gameId = entries.gameId(this.afterOffer, identity, nonce);
        return { identity, name: this.own.name, nonce, keyShare: proofs.proveKey(this.secret, { ...context, gameId, guest: identity }, rng).share };
      },
      KEY: () => ({ keyShare: proofs.proveKey(this.secret, context, rng).share }),
      COMMIT: () => ({ value: proofs.commitment(context, this.#opening(context)) }),
      ANSWER: () => ({ value: rng.read(32) }),
      OPEN: () => ({ value: this.#opening(this.coin.context) }),
      SHUFFLE: () => {
        const { cards, proof } = proofs.shuffle(this.#deckBefore(), this.joint, { ...context, deck: this.request.deck }, rng);
        return { cards, proof };
      },
      SHARE: () => {
        const { shares, proof } = proofs.proveShares(this.secret, this.#bases(this.#owed(author)), { ...context, deck: this.request.deck }, rng);
        return { shares, proof };
      },
      ACT: () => ({ action: value }),
      UNSEAL: () => ({ secret: scalarBytes(this.secret) }),
      REPLY: () => ({ agrees: value }),
      RESIGN: () => ({}),
      PROPOSE: () => ({}),
    };
    const entry = { number: this.raws.length, author, previous: this.head, kind, body: make[kind]() };
    this.#checkDue(entry);
    // The head needs the state, and the offer's game needs the head: so the state first, then the rest.
    const copy = this.#copy();
    copy.#apply({ ...entry, head: null });
    const content = entries.encodeContent({ ...entry, state: copy.#state() });
    const head = entries.headOf(content);
    if (kind === "OFFER") copy.afterOffer = head;
    const raw = encode([content, entries.sign(identitySeed, head)]);
    copy.#keep(entries.decodeEntry(raw));
    Object.assign(this, copy);
    return raw;
  }

  /** Our half of a coin, from the seed of the game. */
  #opening = (context) => digest("coin-secret", ...contextParts(context), this.own.seed);
}
