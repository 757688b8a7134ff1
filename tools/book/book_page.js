// Walks through a book.  A position is stored once for all its images, so the script keeps how the
// stored position lies on the board.
(async () => {
  const [VALUE, PROVEN, MOVES, ESTIMATE, PROOF] = Array(5).keys();
  const [CELL, CHILD, SYMMETRY] = Array(3).keys();

  const data = await unpackData();
  if (!data) return;
  const { board, positions, symmetries } = data;

  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", `0 0 ${board.width} ${board.height}`);
  picture.setAttribute("role", "img");
  for (const [owner, d] of board.edges) shape("path", { class: "edge " + owner, d }, picture);
  const cells = board.outlines.map((d, cell) => {
    const path = shape("path", { class: "cell", d }, picture);
    shape("title", {}, path).textContent = board.names[cell];
    path.addEventListener("click", () => play(cell));
    return path;
  });
  for (const [x, y, text] of board.labels) shape("text", { x, y }, picture).textContent = text;
  const layer = shape("g", {}, picture);
  byId("board-box").append(picture);

  // The walk: cells in order, and after each of them the stored position with the cell of the
  // board on which each of its cells lies.
  const start = { number: data.root, places: board.names.map((_, cell) => cell) };
  let line = [];
  let states = [start];

  function movesOf(state) {
    const position = positions[state.number];
    const moves = position[MOVES].map((move) => {
      const dropOut = move[CHILD] < 0;
      const child = dropOut ? null : positions[move[CHILD]];
      const value = dropOut ? position[ESTIMATE] : 1 - child[VALUE];
      const proven = dropOut ? position[PROOF] : child[PROVEN] === null ? null : !child[PROVEN];
      return { cell: state.places[move[CELL]], value, proven, dropOut, move };
    });
    const rank = (move) => (move.proven === true ? 2 : move.proven === false ? -1 : move.value);
    const balance = (move) => Math.min(move.value, 1 - move.value);
    const opening = data.swap && line.length === 0;
    const worth = opening ? balance : rank;
    return moves.sort((a, b) => worth(b) - worth(a) || a.cell - b.cell);
  }

  function step(state, found) {
    if (found.dropOut) return null;
    const map = symmetries[found.move[SYMMETRY]];
    const places = [];
    map.forEach((image, cell) => { places[image] = state.places[cell]; });
    return { number: found.move[CHILD], places };
  }

  function play(cell) {
    const state = states.at(-1);
    const found = state && movesOf(state).find((move) => move.cell === cell);
    if (!found) return;
    line.push(cell);
    states.push(step(state, found));
    draw();
  }

  function go(length) {
    line = line.slice(0, length);
    states = states.slice(0, length + 1);
    draw();
  }

  function best() {
    const state = states.at(-1);
    return state ? movesOf(state)[0] : undefined;
  }

  function follow(line_) {
    line = [];
    states = [start];
    for (const cell of line_) play(cell);
    draw();
  }

  function text(move) {
    if (move.proven !== null) return move.proven ? "W" : "L";
    const percent = String(Math.round(100 * move.value));
    return move.dropOut ? `(${percent})` : percent;
  }

  function shade(move) {
    const value = move.proven === null ? move.value : Number(move.proven);
    return `m${Math.min(4, Math.floor(5 * value))}`;
  }

  function drawBoard(moves) {
    layer.replaceChildren();
    cells.forEach((path) => path.setAttribute("class", "cell"));
    line.forEach((cell, number) => {
      const colour = number % 2 === 0 ? "black" : "white";
      for (const [cx, cy] of board.centres[cell]) {
        shape("circle", { class: "stone " + colour, cx, cy, r: 7.2 }, layer);
        if (number === line.length - 1) shape("circle", { class: "latest", cx, cy, r: 3.4 }, layer);
      }
    });
    moves.forEach((move, rank) => {
      const name = shade(move);
      const kind = `cell known ${name}` + (rank === 0 ? " best" : "");
      cells[move.cell].setAttribute("class", kind);
      const strong = name === "m0" || name === "m4" ? " strong" : "";
      for (const [x, y] of board.centres[move.cell]) {
        shape("text", { class: "worth" + strong, x, y }, layer).textContent = text(move);
      }
    });
  }

  function drawRows(moves) {
    byId("rows").replaceChildren(
      ...moves.map((move) => {
        const row = document.createElement("tr");
        const name = document.createElement("td");
        name.className = "text";
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = board.names[move.cell];
        name.append(button);
        const worth = document.createElement("td");
        worth.textContent = move.proven === null ? `${(100 * move.value).toFixed(1)} %` : text(move);
        const kind = document.createElement("td");
        kind.className = "text";
        kind.textContent = move.dropOut ? "drop-out move" : move.proven === null ? "" : "proven";
        row.append(name, worth, kind);
        row.addEventListener("click", () => play(move.cell));
        return row;
      }),
    );
  }

  function drawLine() {
    byId("moves").replaceChildren(
      ...line.map((cell, i) => {
        const item = document.createElement("li");
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = board.names[cell];
        if (i === line.length - 1) button.setAttribute("aria-current", "step");
        button.addEventListener("click", () => go(i + 1));
        item.append(button);
        return item;
      }),
    );
  }

  function verdict(state) {
    if (!state) return "This position is not in the book.";
    const position = positions[state.number];
    if (data.swap && line.length === 0) {
      return `The most balanced opening leaves its player ${(100 * position[VALUE]).toFixed(1)} %.`;
    }
    const swap = !data.swap || line.length !== 1 ? ""
      : position[VALUE] < 0.5 ? " White should swap." : " White should not swap.";
    if (position[PROVEN] !== null) {
      return `The side to move ${position[PROVEN] ? "wins" : "loses"}, which is proven.${swap}`;
    }
    return `The side to move wins ${(100 * position[VALUE]).toFixed(1)} %.${swap}`;
  }

  function draw() {
    const state = states.at(-1);
    const moves = state ? movesOf(state) : [];
    const colour = line.length % 2 === 0 ? "black" : "white";
    drawBoard(moves);
    drawRows(moves);
    drawLine();
    const dot = document.createElement("span");
    dot.className = "dot " + colour;
    byId("turn").replaceChildren(dot, colour === "black" ? "Black to move" : "White to move");
    byId("value").textContent = verdict(state);
    picture.setAttribute("aria-label", `Board after ${line.length} moves`);
    byId("first").disabled = byId("back").disabled = line.length === 0;
    byId("forward").disabled = byId("last").disabled = moves.length === 0;
    const hash = line.length ? "#line=" + line.map((cell) => board.names[cell]).join("-") : "#";
    history.replaceState(null, "", hash);
  }

  function playBest() {
    const move = best();
    if (move) play(move.cell);
    return Boolean(move);
  }

  const actions = {
    first: () => go(0),
    back: () => go(Math.max(0, line.length - 1)),
    forward: playBest,
    last: () => { while (playBest()); },
  };
  for (const [id, act] of Object.entries(actions)) byId(id).addEventListener("click", act);
  byId("viewer").addEventListener("keydown", (event) => {
    const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
    if (!(event.key in keys)) return;
    event.preventDefault();
    actions[keys[event.key]]();
  });

  function lineInUrl() {
    if (!location.hash.startsWith("#line=")) return null;
    const names = decodeURIComponent(location.hash.slice(6)).split("-");
    return names.map((name) => board.names.indexOf(name)).filter((cell) => cell >= 0);
  }

  addEventListener("hashchange", () => follow(lineInUrl() ?? []));
  byId("viewer").hidden = false;
  follow(lineInUrl() ?? data.line);
})();
