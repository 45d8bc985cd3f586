// The page: what the server tells becomes a state, and the state a table.

import { dressed } from "./art.js";
import { Board } from "./board.js";
import { Chooser, latin } from "./choose.js";
import { $, button, h, pause, prefersStill, refill } from "./dom.js";
import { Guide, advice } from "./guide.js";
import * as panels from "./panels.js";
import { showGames, showReplay } from "./replay.js";
import { walk } from "./scoring.js";
import { play } from "./sound.js";
import { dress, wishes } from "./wishes.js";
import { language, loadWords, playerName, t } from "./words.js";

const BEAT = 480; // milliseconds for an event to be seen
const HURRY = 6; // more messages than this at once are not played one by one

const state = { seat: null, scene: null, ask: null, line: null, stage: "waiting", plays: true };
const lists = { log: [], chat: [], notices: [] };
const wide = matchMedia("(min-width: 1100px)"); // then the choices stand beside the table
const queue = [];
let isBusy = false;
let socket = null;
let retry = 500;
let parts;

function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

// --- the frame of the page ---------------------------------------------------------------------

function build() {
  const tool = (key, action, text) =>
    button(text, action, { class: "icon", "aria-label": t(`tool.${key}`), title: t(`tool.${key}`) });
  const root = (name, props = {}) => h("section", { class: name, ...props });
  parts = {
    rounds: h("ol", { class: "rounds", "aria-label": t("rounds.label") }),
    moment: h("p", { class: "moment" }),
    banner: h("div", { class: "banner", role: "status" }),
    table: root("table", { "aria-label": t("table.label") }),
    ask: root("ask", { "aria-label": t("ask.label") }),
    walk: root("ask scoring", { "aria-label": t("scoring.title"), hidden: true }),
    result: root("result", { "aria-label": t("result.label"), hidden: true }),
    latest: h("p", { class: "latest" }),
    guide: h("aside", { class: "guide", "aria-label": t("guide.title") }),
    advice: h("p", { class: "advice" }),
    invitation: root("invitation", { "aria-label": t("invite.title"), hidden: true }),
    story: root("story", { "aria-label": t("log.title") }),
    chat: root("chat", { "aria-label": t("chat.title") }),
    live: h("div", { class: "unseen", "aria-live": "polite", role: "log", "aria-label": t("live.label") }),
  };
  parts.choices = h("div", { class: "choices" }, parts.latest, parts.walk, parts.result, parts.ask, parts.advice);
  const header = h("header", { class: "sky" },
    h("h1", {}, "Whitby"), parts.rounds, parts.moment,
    h("nav", { "aria-label": t("tools.label") },
      tool("fair", () => panels.fairness(state), "✓"),
      tool("games", () => { location.hash = "#games"; }, "☰"),
      tool("settings", () => panels.settings(refresh, send), "⚙"),
      tool("more", openMore, "⋯"),
      tool("help", panels.help, "?")));
  const game = h("main", { id: "game" },
    h("div", { class: "left" }, parts.banner, parts.invitation, parts.guide, parts.table, parts.choices),
    h("div", { class: "right" }, parts.story, parts.chat));
  document.body.replaceChildren(header, game, h("main", { id: "archive", hidden: true }), parts.live);
  const arrange = () => (wide.matches ? $(".right").prepend(parts.choices) : $(".left").append(parts.choices));
  wide.addEventListener("change", arrange);
  arrange();
  parts.board = new Board(parts.table);
  parts.board.onbrowse = () => panels.discards(parts.board.scene);
  parts.board.clocks = { mine: h("span", { class: "clock" }), theirs: h("span", { class: "clock" }) };
  parts.chooser = new Chooser(parts.board, parts.ask, answer);
  parts.log = new panels.Story(parts.story);
  parts.talk = new panels.Chat(parts.chat, send);
  parts.hints = new Guide(parts.guide);
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "?") panels.help();
    if ((event.key === "t" || latin(event) === "t") && !parts.chat.hidden) { event.preventDefault(); parts.talk.input.focus(); }
  });
}

function openMore() {
  panels.more(state, send, [["fair", () => panels.fairness(state)], ["games", () => { location.hash = "#games"; }]]);
}

function answer(message) {
  send(message);
  state.ask = null;
  refresh();
}

// --- messages ----------------------------------------------------------------------------------

function connect() {
  socket = new WebSocket(`ws://${location.host}/socket`);
  socket.addEventListener("message", (event) => {
    retry = 500;
    queue.push(JSON.parse(event.data));
    if (!isBusy) work();
  });
  socket.addEventListener("close", () => {
    if (state.stage === "closed") return;
    state.away = true;
    refresh();
    setTimeout(connect, retry);
    retry = Math.min(5000, retry * 1.7);
  });
}

async function work() {
  isBusy = true;
  while (queue.length) await take(queue.shift());
  isBusy = false;
}

async function take({ set, add, fresh }) {
  if (set.lang && set.lang !== language) return location.reload(); // nothing is lost: the server has it all
  const before = state.scene;
  if (fresh) {
    for (const name of Object.keys(lists)) lists[name] = [];
    parts.log.reset();
    parts.talk.reset();
    state.away = false;
    if (!set.scene) parts.board.build();
  }
  const events = add.log ?? [];
  const scored = !fresh && events.some((event) => event.k === "DistrictScored");
  Object.assign(state, set);
  if (fresh && !state.plays) route();
  if (set.line) lists.notices = []; // it is mended: what was said about it is of yesterday
  for (const [name, items] of Object.entries(add)) lists[name]?.push(...items);
  parts.log.add(events);
  parts.talk.add(add.chat ?? [], state.seat?.name);
  if (!fresh) announce(events, add);
  if (scored && state.scene) {
    await score(events, before);
  }
  refresh({ moves: !fresh });
  if (!fresh && !scored) await perform(events);
}

/** Play what has happened, one after the other, unless there is much to catch up with. */
async function perform(events) {
  const isCalm = () => !prefersStill() && queue.length < HURRY;
  let isFirst = true;
  for (const event of events) {
    if (["Discarded", "Drew"].includes(event.k)) play("card", wishes.sound === "on");
    if (!isFirst && parts.board.has(event) && isCalm()) await pause(BEAT);
    if (parts.board.show(event)) isFirst = false;
  }
  if (events.length && queue.length && isCalm()) await pause(BEAT);
}

async function score(events, before) {
  const story = [...lists.log.slice(-12).filter((event) => event.k === "RoundEnded").slice(-1), ...events.filter((event) => event.k !== "RoundEnded")];
  parts.ask.hidden = true;
  parts.walk.hidden = false;
  parts.hints.scoring();
  const paint = (scene, event) => {
    parts.board.render(scene, { name: state.seat?.name });
    parts.chooser.update(null);
    if (event) play(event.winner === 0 ? "vampire" : "wound", wishes.sound === "on");
  };
  await walk(parts.board, parts.walk, story, before, state.scene, paint);
  if (state.result) play("end", wishes.sound === "on");
  parts.walk.hidden = true;
  parts.ask.hidden = false;
}

function announce(events, add) {
  const words = events.map((event) => event.text);
  if (wishes.mute !== "on") words.push(...(add.chat ?? []).filter((line) => !line.mine).map((line) => t("live.says", { text: line.text })));
  words.push(...(add.notices ?? []).map((notice) => notice.text));
  tell(words);
  if (add.chat?.some((line) => !line.mine) && wishes.mute !== "on") play("say", wishes.sound === "on");
}

/** For those who listen rather than look. */
function tell(words) {
  for (const text of words) parts.live.append(h("p", {}, text));
  while (parts.live.childElementCount > 12) parts.live.firstChild.remove();
}

// --- drawing -----------------------------------------------------------------------------------

let lastAsked = 0;

function refresh({ moves = false } = {}) {
  const { scene, ask } = state;
  document.body.dataset.stage = state.stage;
  parts.chat.hidden = !state.seat;
  parts.table.hidden = !scene;
  if (scene && scene !== parts.board.scene) parts.board.render(scene, { moves, name: state.seat?.name || t("nobody") });
  parts.story.hidden = !scene;
  const latest = lists.log.slice(-2).map((event) => event.text);
  parts.latest.hidden = Boolean(state.result);
  refill(parts.latest, !parts.walk.hidden || state.result ? [] : latest, () => latest.map((text) => [h("span", {}, dressed(text)), " "]));
  drawHeader(scene);
  drawBanner();
  drawResult();
  panels.invitation(parts.invitation, state.seat ? null : state.invitation);
  parts.chooser.update(state.away ? null : ask, waiting());
  parts.ask.hidden = !state.plays || !parts.walk.hidden || (state.result !== null && state.result !== undefined && !ask);
  parts.guide.hidden = Boolean(state.result);
  const advised = advice(state);
  refill(parts.advice, advised, () => advised);
  parts.hints.update(state);
  if (ask && ask.n !== lastAsked && !state.away) {
    tell([parts.chooser.title()]);
    if (lastAsked || ask.kind !== "choose") play("turn", wishes.sound === "on");
    lastAsked = ask.n;
  }
  document.title = ask && !state.away ? t("title.your-turn") : "Whitby";
}

function waiting() {
  const { scene, seat } = state;
  const name = seat?.name || t("nobody");
  if (state.stage === "closed") return t("waiting.closed");
  if (state.result) return t("waiting.end");
  if (!seat) return t(state.invitation ? "waiting.guest" : "waiting.table");
  if (!scene || !scene.dealt || scene.phase.startsWith("DEAL") || scene.phase === "SHUFFLE") return t("waiting.shuffle");
  return scene.turn === scene.player ? t("waiting.proof") : t("waiting.turn", { name });
}

function drawHeader(scene) {
  const round = scene ? scene.deck : -1;
  refill(parts.rounds, round, () => [0, 1, 2, 3, 4].map((at) =>
    h("li", { class: at === round ? "now" : at < round ? "past" : "", "aria-current": at === round ? "step" : null, "aria-label": t("rounds.one", { n: at + 1 }) }, String(at + 1))));
  const text = !scene ? "" : state.result ? t("moment.over") : t(scene.turn < 0 ? "moment.deal" : scene.turn === scene.player
    ? (scene.caller >= 0 ? "moment.my-last" : "moment.mine") : (scene.caller >= 0 ? "moment.their-last" : "moment.theirs"));
  refill(parts.moment, text, () => text);
}

function drawBanner() {
  const notice = lists.notices.at(-1)?.text;
  const key = state.stage === "closed" ? (state.result ? "" : "closed") : state.away ? "away" : state.seat && state.line === false && !state.result ? "line" : "";
  refill(parts.banner, [key, notice, state.closing], () => [
    key && h("p", { class: `state ${key}` }, t(`banner.${key}`), " ", key === "closed" ? state.closing : ""),
    notice && !state.result && h("p", {}, notice, " ", button("×", () => { lists.notices = []; refresh(); }, { class: "icon", "aria-label": t("close") })),
  ].map((one) => one || null));
}

function drawResult() {
  const { result, verified, proven } = state;
  parts.result.hidden = !result;
  refill(parts.result, [result, verified, proven?.complete, state.stage], () => !result ? [] : [
    h("h2", { class: result.winner === state.seat?.player ? "won" : result.winner === null ? "" : "lost" },
      result.winner === null ? t("result.none") : t(result.winner === state.seat?.player ? "result.won" : "result.lost")),
    h("p", {}, result.text),
    h("p", {}, verified || proven?.complete ? ["✓ ", t("fair.short"), " "] : [t("result.proving"), " "],
      button(t("tool.fair"), () => panels.fairness(state), { class: "link" })),
    verified && h("p", {}, t("result.kept", { game: verified.game }), " ",
      button(t("result.replay"), () => { location.hash = `#replay/${verified.game}`; }, { class: "link" })),
    state.stage === "closed" && button(t("result.close"), () => { send({ quit: "close" }); }, { class: "answer" }),
  ].filter(Boolean));
}

function tick() {
  if (!parts || !state.clocks || !state.scene) return;
  const me = state.scene.player;
  const since = (performance.now() - (state.clocksAt ?? performance.now())) / 1000;
  for (const [side, player] of [["mine", me], ["theirs", 1 - me]]) {
    const left = state.clocks.left[player] - (state.clocks.running === player && !state.result ? since : 0);
    const whole = Math.abs(Math.trunc(left));
    const clock = parts.board.clocks[side];
    clock.textContent = `${left <= -1 ? "−" : ""}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
    clock.classList.toggle("short", left < 30);
    clock.setAttribute("aria-label", t("clock.label", { time: clock.textContent }));
  }
}

let clocksSeen = null;
setInterval(() => {
  if (state.clocks !== clocksSeen) {
    clocksSeen = state.clocks;
    state.clocksAt = performance.now();
  }
  tick();
}, 500);

// --- pages -------------------------------------------------------------------------------------

async function route() {
  const [, page, number] = location.hash.match(/^#(\w*)\/?(\d*)$/) ?? [];
  const isArchive = page === "games" || page === "replay" || !state.plays;
  $("#game").hidden = isArchive;
  const archive = $("#archive");
  archive.hidden = !isArchive;
  document.body.dataset.page = isArchive ? "archive" : "game";
  if (!isArchive) {
    archive.replaceChildren();
    return;
  }
  const back = state.plays ? button(t("archive.back"), () => { location.hash = ""; }, { class: "answer" }) : null;
  if (page === "replay") await showReplay(archive, Number(number), back);
  else await showGames(archive, back);
}

dress();
await loadWords();
build();
refresh();
addEventListener("hashchange", route);
connect();
await route();
