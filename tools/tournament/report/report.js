// Replays the games of a report.  Names and details come from engines, so they're inserted as text,
// never as markup.
(async () => {
  const ROWS = 50;
  const [ID, BLACK, WHITE, WINNER, OPENING, ROUND, ENDING, DETAIL, MOVES, SECONDS, TIME, SGF, LINK] =
    Array(13).keys();

  const data = await unpackData();
  if (!data) return;
  const { board, engines, games } = data;
  if (games.length === 0) {
    showProblem("No games yet.");
    return;
  }
  const cellOf = new Map(board.names.map((name, cell) => [name, cell]));
  const numberOf = new Map(games.map((game, number) => [game[ID], number]));

  // The position after some moves.  Swaps follow the same rules as in trivalent.core.position.
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
        latest = null; // the players change sides; the same colour moves next
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

  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", `0 0 ${board.width} ${board.height}`);
  picture.setAttribute("role", "img");
  for (const [owner, d] of board.edges) shape("path", { class: "edge " + owner, d }, picture);
  board.outlines.forEach((d, cell) => {
    shape("title", {}, shape("path", { class: "cell", d }, picture)).textContent = board.names[cell];
  });
  for (const [x, y, text] of board.inside) {
    shape("text", { class: "inside", x, y }, picture).textContent = text;
  }
  for (const [x, y, text] of board.labels) shape("text", { x, y }, picture).textContent = text;
  const layer = shape("g", {}, picture);
  byId("board-box").append(picture);

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
      for (const [cx, cy] of board.centres[cell]) {
        shape("circle", { class: "stone " + colour, cx, cy, r: 7.2 }, layer);
        if (byId("numbers").checked) {
          shape("text", { class: "on-" + colour, x: cx, y: cy }, layer).textContent = number + 1;
        } else if (cell === latest) {
          shape("circle", { class: "latest", cx, cy, r: 3.4 }, layer);
        }
      }
    }
    const seconds = game[SECONDS].split(" ");
    let caption = "Start";
    if (ply > 0) {
      const time = Number(seconds[ply - 1]) > 0 ? ` (${seconds[ply - 1]} s)` : "";
      caption = `${ply}. ${engineOf(game, ply - 1)}: ${words[ply - 1]}${time}`;
    }
    byId("move").textContent = caption;
    picture.setAttribute("aria-label", `Board after ${ply} of ${words.length} moves. ${caption}`);
    byId("slider").value = ply;
    byId("first").disabled = byId("back").disabled = ply === 0;
    byId("forward").disabled = byId("last").disabled = ply === words.length;
    byId("moves").querySelectorAll("button").forEach((button, number) => {
      const chosen = number === ply - 1;
      if (chosen) {
        button.setAttribute("aria-current", "step");
        const list = byId("moves");
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

  let sgfUrl = "";
  function show(number, to) {
    current = number;
    const game = games[number];
    const words = game[MOVES].split(" ").filter(Boolean);
    byId("players").replaceChildren(
      ...player("black", engines[game[BLACK]] + " "),
      ...player("white", engines[game[WHITE]]),
    );
    const detail = game[DETAIL] ? ` (${game[DETAIL]})` : "";
    byId("result").textContent =
      `${game[OPENING]}, round ${game[ROUND]}: ${engines[game[WINNER]]} won, ${game[ENDING]}${detail}`;
    byId("slider").max = words.length;
    byId("moves").replaceChildren(
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
    URL.revokeObjectURL(sgfUrl);
    sgfUrl = URL.createObjectURL(new Blob([game[SGF]], { type: "application/x-go-sgf" }));
    byId("sgf").href = sgfUrl;
    byId("sgf").download = game[ID] + ".sgf";
    byId("hexworld").hidden = !game[LINK];
    if (game[LINK]) byId("hexworld").href = game[LINK];
    go(to ?? words.length);
    markRow();
  }

  function markRow() {
    byId("rows").querySelectorAll("tr").forEach((row) => {
      row.setAttribute("aria-selected", String(Number(row.dataset.number) === current));
    });
  }

  function listRows() {
    const begin = page * ROWS;
    byId("rows").replaceChildren(
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
            button.textContent = text || "(none)";
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
    byId("count").textContent = matching.length ? `${begin + 1} to ${end} of ${counted}` : "no games";
    byId("previous-page").disabled = page === 0;
    byId("next-page").disabled = end >= matching.length;
    markRow();
  }

  function filter() {
    const engine = byId("engine").value;
    const opponent = byId("opponent").value;
    const opening = byId("opening").value.trim().toLowerCase();
    const ending = byId("ending").value;
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

  function showGameInUrl() {
    if (!location.hash.startsWith("#game=")) return;
    const number = numberOf.get(decodeURIComponent(location.hash.slice(6)));
    if (number !== undefined) {
      show(number);
      byId("games").scrollIntoView();
    }
  }

  fill(byId("engine"), engines);
  fill(byId("opponent"), engines);
  fill(byId("ending"), [...new Set(games.map((game) => game[ENDING]))].sort());
  for (const id of ["engine", "opponent", "ending"]) byId(id).addEventListener("change", filter);
  byId("opening").addEventListener("input", filter);
  byId("previous-page").addEventListener("click", () => { page -= 1; listRows(); });
  byId("next-page").addEventListener("click", () => { page += 1; listRows(); });
  byId("first").addEventListener("click", () => go(0));
  byId("back").addEventListener("click", () => go(ply - 1));
  byId("forward").addEventListener("click", () => go(ply + 1));
  byId("last").addEventListener("click", () => go(Infinity));
  byId("slider").addEventListener("input", () => go(Number(byId("slider").value)));
  byId("numbers").addEventListener("change", drawBoard);
  byId("viewer").addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: Infinity };
    if (event.target.id === "slider" || !(event.key in steps)) return;
    event.preventDefault();
    go(steps[event.key]);
  });
  for (const map of document.querySelectorAll(".map")) {
    map.addEventListener("click", (event) => {
      const place = event.target.closest("[data-opening]");
      if (!place) return;
      byId("engine").value = map.dataset.engine;
      byId("opponent").value = map.dataset.opponent;
      byId("opening").value = place.dataset.opening;
      byId("ending").value = "";
      filter();
      if (matching.length) show(matching[0]);
      byId("games").scrollIntoView();
    });
  }
  addEventListener("hashchange", showGameInUrl);
  byId("viewer").hidden = byId("list").hidden = false;
  filter();
  show(0);
  showGameInUrl();
})();
