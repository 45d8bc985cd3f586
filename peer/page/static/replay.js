// Games that are over: the list, a few charts, and each of them step by step.

import { dressed } from "./art.js";
import { Board } from "./board.js";
import { button, h, s } from "./dom.js";
import { playerName, t } from "./words.js";

let stop = () => {};

async function fetched(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

// --- the list ----------------------------------------------------------------------------------

export async function showGames(root, back) {
  stop();
  const games = await fetched("/games.json");
  const over = games.filter((game) => game.over);
  const date = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  root.replaceChildren(...[
    h("h2", {}, t("games.title")), back,
    over.length ? charts(over) : null,
    games.length ? h("ul", { class: "games" }, games.map((game) => h("li", {},
      h("div", {},
        h("b", {}, t("games.number", { number: game.number })), " ",
        h("span", { class: "small" }, date.format(new Date(game.created * 1000)))),
      h("p", {}, game.player === null ? "" : t("games.as", { player: playerName(game.player), name: game.opponent || t("nobody") }), " ", game.text ?? t("games.unfinished")),
      game.over ? button(t("games.replay"), () => { location.hash = `#replay/${game.number}`; }, { class: "answer" }) : h("span", { class: "small" }, t("games.resume", { number: game.number }))))) : h("p", {}, t("games.none")),
  ].filter(Boolean));
}

function charts(games) {
  const tally = [0, 1].map((player) => {
    const mine = games.filter((game) => game.player === player && game.winner !== null);
    return { player, won: mine.filter((game) => game.winner === player).length, all: mine.length };
  });
  const wins = h("figure", {},
    h("figcaption", {}, t("chart.wins")),
    s("svg", { viewBox: "0 0 300 76", role: "img", "aria-label": tally.map((row) => t("chart.wins.row", { player: playerName(row.player), won: row.won, all: row.all })).join(" ") },
      tally.map((row, at) => [
        s("text", { x: 0, y: 20 + at * 36, class: "axis" }, playerName(row.player)),
        s("rect", { x: 95, y: 6 + at * 36, width: 160, height: 20, rx: 3, class: "bar-all" }),
        s("rect", { x: 95, y: 6 + at * 36, width: row.all ? (160 * row.won) / row.all : 0, height: 20, rx: 3, class: "bar" }),
        s("text", { x: 262, y: 21 + at * 36, class: "axis" }, `${row.won}/${row.all}`),
      ])));
  const latest = games.slice(0, 24).reverse();
  const most = Math.max(...latest.map((game) => game.entries), 1);
  const lengths = h("figure", {},
    h("figcaption", {}, t("chart.lengths")),
    s("svg", { viewBox: "0 0 300 76", role: "img", "aria-label": t("chart.lengths.label", { n: latest.length, most }) },
      latest.map((game, at) => s("rect", {
        x: at * 12.5, y: 74 - (70 * game.entries) / most, width: 10, height: (70 * game.entries) / most, rx: 2,
        class: game.winner === game.player ? "bar" : "bar-all" }, s("title", {}, t("games.number", { number: game.number }))))));
  return h("div", { class: "charts" }, wins, lengths);
}

// --- one game ----------------------------------------------------------------------------------

export async function showReplay(root, number, back) {
  stop();
  root.replaceChildren(h("p", { role: "status" }, t("replay.loading")));
  const first = await fetched(`/games/${number}?seat=2`).catch(() => null);
  if (!first) {
    root.replaceChildren(h("p", {}, t("replay.missing")), back ?? "");
    return;
  }
  const told = { 2: first };
  let seat = first.open ? 2 : first.player ?? 1;
  let at = 0;
  let latest = 0;
  const table = h("section", { class: "table", "aria-label": t("table.label") });
  const board = new Board(table);
  const words = h("ul", { class: "happened", "aria-live": "polite" });
  const place = h("input", { type: "range", min: 0, max: first.frames.length - 1, value: 0, "aria-label": t("replay.step") });
  const where = h("p", { class: "small" });
  const show = async (to, moves = true) => {
    const asked = ++latest;  // what was asked for last is shown, however the answers come
    told[seat] ??= await fetched(`/games/${number}?seat=${seat}`);
    if (asked !== latest) return;
    const { frames, names } = told[seat];
    at = Math.max(0, Math.min(frames.length - 1, to));
    const frame = frames[at];
    const scene = { ...frame.scene };
    const me = scene.player;
    scene.label = { mine: names[me] || t("nobody"), theirs: names[1 - me] || t("nobody") };
    board.render(scene, { moves });
    frame.events.forEach((event) => board.show(event));
    words.replaceChildren(...frame.events.map((event) => h("li", {}, dressed(event.text))));
    place.value = at;
    where.textContent = t("replay.at", { at: at + 1, all: frames.length, round: scene.deck + 1 });
  };
  board.onbrowse = () => {};
  place.addEventListener("input", () => show(Number(place.value), false));
  const seats = h("div", { class: "answers", role: "group", "aria-label": t("replay.seen") },
    [0, 1, 2].filter((one) => first.open || one !== 2).map((one) => {
      const choice = button(one === 2 ? t("replay.open") : t("replay.as", { player: playerName(one) }), async () => {
        seat = one;
        for (const other of seats.children) other.setAttribute("aria-pressed", String(other === choice));
        await show(at, false);
      }, { class: "answer", "aria-pressed": String(one === seat) });
      return choice;
    }));
  const starts = first.frames.flatMap((frame, index) => (frame.start === null ? [] : [[frame.start, index]]));
  const step = (key, action) => button(t(`replay.${key}`), action, { class: "answer", "aria-label": t(`replay.${key}.label`) });
  root.replaceChildren(...[
    h("h2", {}, t("replay.title", { number })),
    h("p", {}, first.result ?? ""), first.open ? null : h("p", { class: "small" }, t("replay.closed")),
    h("div", { class: "answers" }, back, button(t("games.title"), () => { location.hash = "#games"; }, { class: "answer" })),
    seats,
    h("div", { class: "scrub" }, place),
    h("div", { class: "answers" }, step("first", () => show(0)), step("back", () => show(at - 1)), step("forward", () => show(at + 1)), step("last", () => show(first.frames.length - 1)),
      starts.map(([round, index]) => button(t("replay.round", { n: round + 1 }), () => show(index, false), { class: "answer" }))),
    where, words, table, h("p", { class: "small" }, t("replay.checked", { n: first.entries })),
  ].filter(Boolean));
  const key = (event) => {
    if (event.target.closest("input, dialog")) return;
    if (event.key === "ArrowRight") show(at + 1);
    else if (event.key === "ArrowLeft") show(at - 1);
    else if (event.key === "Home") show(0);
    else if (event.key === "End") show(first.frames.length - 1);
    else return;
    event.preventDefault();
  };
  document.addEventListener("keydown", key);
  stop = () => { document.removeEventListener("keydown", key); stop = () => {}; };
  addEventListener("hashchange", () => stop(), { once: true });
  await show(starts[0]?.[1] ?? 0, false);
}

