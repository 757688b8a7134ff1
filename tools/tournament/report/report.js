"use strict";
// Steps through the games of a report.  Names and details come from engines: they are written as
// texts, never as markup.
(async () => {
  const ROWS = 50;
  const SVG = "http://www.w3.org/2000/svg";
  const [ID, BLACK, WHITE, WINNER, OPENING, ROUND, ENDING, DETAIL, MOVES, SECONDS, TIME, SGF, LINK] =
    Array(13).keys();
  const at = (id) => document.getElementById(id);

  function trouble(sentence) {
    at("trouble").textContent = sentence;
    at("trouble").hidden = false;
  }

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  if (typeof DecompressionStream === "undefined") {
    trouble("This browser is too old to unpack the games.");
    return;
  }
  let data;
  try {
    data = await unpack(at("data").textContent);
  } catch (error) {
    trouble("The games in this page are damaged: " + error.message);
    return;
  }
  const { board, engines, games } = data;
  if (games.length === 0) {
    trouble("No games yet.");
    return;
  }
  const cellOf = new Map(board.names.map((name, cell) => [name, cell]));
  const numberOf = new Map(games.map((game, number) => [game[ID], number]));

  // Positions.  Mirrors what the package does with a swap; everything else is a stone.
  function positionAt(game, ply) {
    const words = game[MOVES].split(" ").filter(Boolean);
    const stones = new Map();
    let colour = "black";
    let latest = null;
    words.slice(0, ply).forEach((word, number) => {
      const other = colour === "black" ? "white" : "black";
      if (word === "swap-pieces") {
        const [[cell]] = stones;
        stones.clear();
        latest = board.swap[cell];
        stones.set(latest, { colour, number });
        colour = other;
      } else if (word === "swap-sides") {
        latest = null; // the players change, and the next one has this colour
      } else if (cellOf.has(word)) {
        latest = cellOf.get(word);
        stones.set(latest, { colour, number });
        colour = other;
      } else {
        latest = null; // pass, resign
        colour = other;
      }
    });
    return { words, stones, latest };
  }

  function shape(name, attributes, parent) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    parent.append(element);
    return element;
  }

  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", `0 0 ${board.width} ${board.height}`);
  picture.setAttribute("role", "img");
  for (const [owner, d] of board.edges) shape("path", { class: "edge " + owner, d }, picture);
  for (const [x, y] of board.centres) {
    const transform = `translate(${x} ${y})`;
    shape("polygon", { class: "cell", points: board.cell, transform }, picture);
  }
  for (const [x, y, text] of board.labels) shape("text", { x, y }, picture).textContent = text;
  const layer = shape("g", {}, picture);
  at("board-box").append(picture);

  let current = 0;
  let ply = 0;
  let matching = [];
  let page = 0;

  function engineOf(game, number) {
    return engines[number % 2 === 0 ? game[BLACK] : game[WHITE]];
  }

  function drawBoard() {
    const game = games[current];
    const { words, stones, latest } = positionAt(game, ply);
    layer.replaceChildren();
    for (const [cell, { colour, number }] of stones) {
      const [cx, cy] = board.centres[cell];
      shape("circle", { class: "stone " + colour, cx, cy, r: 7.2 }, layer);
      if (at("numbers").checked) {
        shape("text", { class: "on-" + colour, x: cx, y: cy }, layer).textContent = number + 1;
      } else if (cell === latest) {
        shape("circle", { class: "latest", cx, cy, r: 3.4 }, layer);
      }
    }
    const seconds = game[SECONDS].split(" ");
    let said = "Start";
    if (ply > 0) {
      const time = Number(seconds[ply - 1]) > 0 ? ` (${seconds[ply - 1]} s)` : "";
      said = `${ply}. ${engineOf(game, ply - 1)}: ${words[ply - 1]}${time}`;
    }
    at("move").textContent = said;
    picture.setAttribute("aria-label", `Board after ${ply} of ${words.length} moves. ${said}`);
    at("slider").value = ply;
    at("first").disabled = at("back").disabled = ply === 0;
    at("on").disabled = at("last").disabled = ply === words.length;
    at("moves").querySelectorAll("button").forEach((button, number) => {
      const chosen = number === ply - 1;
      if (chosen) {
        button.setAttribute("aria-current", "step");
        const list = at("moves");
        const top = button.offsetTop - list.offsetTop;
        if (top < list.scrollTop || top + button.offsetHeight > list.scrollTop + list.clientHeight) {
          list.scrollTop = top - list.clientHeight / 2;
        }
      } else {
        button.removeAttribute("aria-current");
      }
    });
  }

  function go(to) {
    const length = games[current][MOVES].split(" ").filter(Boolean).length;
    ply = Math.min(Math.max(to, 0), length);
    drawBoard();
  }

  function player(colour, name) {
    const dot = document.createElement("span");
    dot.className = "dot " + colour;
    const text = document.createElement("span");
    text.textContent = name;
    return [dot, text];
  }

  let address = "";
  function show(number, to) {
    current = number;
    const game = games[number];
    const words = game[MOVES].split(" ").filter(Boolean);
    at("who").replaceChildren(
      ...player("black", engines[game[BLACK]] + " "),
      ...player("white", engines[game[WHITE]]),
    );
    const detail = game[DETAIL] ? ` (${game[DETAIL]})` : "";
    at("how").textContent =
      `${game[OPENING]}, round ${game[ROUND]}: ${engines[game[WINNER]]} won, ${game[ENDING]}${detail}`;
    at("slider").max = words.length;
    at("moves").replaceChildren(
      ...words.map((word, i) => {
        const item = document.createElement("li");
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = word;
        button.addEventListener("click", () => go(i + 1));
        item.append(button);
        return item;
      }),
    );
    URL.revokeObjectURL(address);
    address = URL.createObjectURL(new Blob([game[SGF]], { type: "application/x-go-sgf" }));
    at("sgf").href = address;
    at("sgf").download = game[ID] + ".sgf";
    at("hexworld").hidden = !game[LINK];
    if (game[LINK]) at("hexworld").href = game[LINK];
    go(to ?? words.length);
    mark();
  }

  function mark() {
    at("rows").querySelectorAll("tr").forEach((row) => {
      row.setAttribute("aria-selected", String(Number(row.dataset.number) === current));
    });
  }

  function listRows() {
    const begin = page * ROWS;
    at("rows").replaceChildren(
      ...matching.slice(begin, begin + ROWS).map((number) => {
        const game = games[number];
        const row = document.createElement("tr");
        row.dataset.number = number;
        const cells = [
          game[OPENING], engines[game[BLACK]], engines[game[WHITE]], engines[game[WINNER]],
          game[ENDING], game[MOVES].split(" ").filter(Boolean).length, `${game[TIME]} s`,
        ];
        cells.forEach((text, column) => {
          const cell = document.createElement("td");
          if (column < 5) cell.className = "text";
          if (column === 0) {
            const button = document.createElement("button");
            button.type = "button";
            button.textContent = text || "none";
            cell.append(button);
          } else {
            cell.textContent = text;
          }
          row.append(cell);
        });
        row.addEventListener("click", () => show(number));
        return row;
      }),
    );
    const end = Math.min(begin + ROWS, matching.length);
    const counted = matching.length.toLocaleString("en");
    at("count").textContent = matching.length ? `${begin + 1} to ${end} of ${counted}` : "none";
    at("earlier").disabled = page === 0;
    at("later").disabled = end >= matching.length;
    mark();
  }

  function filter() {
    const engine = at("engine").value;
    const opponent = at("opponent").value;
    const opening = at("opening").value.trim().toLowerCase();
    const ending = at("ending").value;
    matching = [];
    games.forEach((game, number) => {
      const names = [engines[game[BLACK]], engines[game[WHITE]]];
      if (engine && !names.includes(engine)) return;
      if (opponent && (!names.includes(opponent) || engine === opponent)) return;
      if (opening && game[OPENING].toLowerCase() !== opening) return;
      if (ending && game[ENDING] !== ending) return;
      matching.push(number);
    });
    page = 0;
    listRows();
  }

  function fill(select, texts) {
    select.replaceChildren(
      ...["", ...texts].map((text) => {
        const option = document.createElement("option");
        option.value = text;
        option.textContent = text || "any";
        return option;
      }),
    );
  }

  function fromAddress() {
    if (!location.hash.startsWith("#game=")) return;
    const number = numberOf.get(decodeURIComponent(location.hash.slice(6)));
    if (number !== undefined) {
      show(number);
      at("games").scrollIntoView();
    }
  }

  fill(at("engine"), engines);
  fill(at("opponent"), engines);
  fill(at("ending"), [...new Set(games.map((game) => game[ENDING]))].sort());
  for (const id of ["engine", "opponent", "ending"]) at(id).addEventListener("change", filter);
  at("opening").addEventListener("input", filter);
  at("earlier").addEventListener("click", () => { page -= 1; listRows(); });
  at("later").addEventListener("click", () => { page += 1; listRows(); });
  at("first").addEventListener("click", () => go(0));
  at("back").addEventListener("click", () => go(ply - 1));
  at("on").addEventListener("click", () => go(ply + 1));
  at("last").addEventListener("click", () => go(Infinity));
  at("slider").addEventListener("input", () => go(Number(at("slider").value)));
  at("numbers").addEventListener("change", drawBoard);
  at("viewer").addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: Infinity };
    if (event.target.id === "slider" || !(event.key in steps)) return;
    event.preventDefault();
    go(steps[event.key]);
  });
  for (const map of document.querySelectorAll(".map")) {
    map.addEventListener("click", (event) => {
      const place = event.target.closest("[data-opening]");
      if (!place) return;
      at("engine").value = map.dataset.engine;
      at("opponent").value = map.dataset.opponent;
      at("opening").value = place.dataset.opening;
      at("ending").value = "";
      filter();
      if (matching.length) show(matching[0]);
      at("games").scrollIntoView();
    });
  }
  addEventListener("hashchange", fromAddress);
  at("viewer").hidden = at("list").hidden = false;
  filter();
  show(0);
  fromAddress();
})();
