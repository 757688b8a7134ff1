// Shows reviewed games.  Names come from game records, so they're inserted as text, never as markup.
(async () => {
  const HEIGHT = 170, LEFT = 46, RIGHT = 12, TOP = 10, BOTTOM = 22;
  let width = 720;

  const data = await unpackData();
  if (!data) return;

  let game, board, drawn, cellOf, at, line;
  // Only what is certain is 0% or 100%.
  const percent = (share) =>
    `${share === 0 || share === 1 ? 100 * share : Math.min(Math.max(Math.round(100 * share), 1), 99)}%`;
  const other = (colour) => (colour === "black" ? "white" : "black");
  const moveBefore = () => (at > 0 ? game.moves[at - 1] : null);
  const isFault = (move) => move.cost > 0 && /loss|blunder|mistake|inaccuracy/.test(move.grade);

  function element(name, text, className) {
    const made = document.createElement(name);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  function button(text, action) {
    const made = element("button", text);
    made.type = "button";
    made.addEventListener("click", action);
    return made;
  }

  // The verdict on a move in words.
  function verdict(move) {
    let text = `${move.number}. ${game.players[move.player]}: ${move.move}, ${move.grade}`;
    if (isFault(move)) text += `, from ${percent(move.before)} to ${percent(move.after)}`;
    if (move.turning_point) {
      const sure = move.proven ? "proven" : `certainty ${percent(move.certainty)}`;
      text += `; turning point (${sure})`;
    }
    if (move.number === game.losing_move) text += "; here the game was lost";
    return text;
  }

  // The variations that can be stepped through at a position.
  function variations() {
    const found = [];
    const before = moveBefore();
    const position = game.positions[at];
    if (before && before.line.length) {
      const colour = before.colour;
      const carrier = before.why ? before.why.carrier : [];
      found.push({ name: `better: ${before.line[0]}`, from: at - 1, colour, cells: before.line, carrier });
    }
    if (before && before.why && before.why.refutation.length) {
      const { refutation, refuting_carrier: carrier } = before.why;
      const colour = other(before.colour);
      found.push({ name: `refutation: ${refutation[0]}`, from: at, colour, cells: refutation, carrier });
    }
    if (position && position.line.length && !(before && before.why)) {
      const colour = position.to_play;
      found.push({ name: `best: ${position.line[0]}`, from: at, colour, cells: position.line, carrier: [] });
    }
    return found;
  }

  function layerName() {
    return document.querySelector("input[name=layer]:checked").value;
  }

  function circle(name, className, r) {
    for (const [cx, cy] of board.centres[cellOf.get(name)]) {
      shape("circle", { class: className, cx, cy, r }, drawn.layer);
    }
  }

  function label(name, text, className) {
    for (const [x, y] of board.centres[cellOf.get(name)]) {
      shape("text", { class: className, x, y }, drawn.layer).textContent = text;
    }
  }

  function drawCarrier(names, className) {
    for (const name of names) {
      shape("path", { class: className, d: board.outlines[cellOf.get(name)] }, drawn.layer);
    }
  }

  function drawOverlay(position, taken) {
    const layer = layerName();
    const before = moveBefore();
    if (layer === "ownership") {
      position.ownership.forEach((share, cell) => {
        const name = board.names[cell];
        if (taken.has(name)) return;
        const strength = Math.abs(2 * share - 1);
        circle(name, share > 0.5 ? "owned-black" : "owned-white", (1 + 4 * strength).toFixed(1));
      });
    } else if (layer === "carrier") {
      if (line) drawCarrier(line.carrier.filter((name) => !taken.has(name)), "carrier");
      else if (before && before.why) drawCarrier(before.why.refuting_carrier, "carrier theirs");
    } else if (layer === "candidates" && !line) {
      position.candidates.slice(0, 6).forEach((candidate) => {
        const best = candidate.move === position.best;
        circle(candidate.move, "candidate" + (best ? " best" : ""), 7.2);
        const known = { true: "win", false: "loss" }[candidate.proven];
        label(candidate.move, known ?? Math.round(100 * candidate.chance), "chance");
      });
      const next = game.moves[at];
      if (next && cellOf.has(next.move)) circle(next.move, "played", 8.2);
    }
  }

  function drawBoard() {
    const position = game.positions[line ? line.from : at];
    drawn.layer.replaceChildren();
    const taken = new Set([...position.stones.black, ...position.stones.white]);
    for (const colour of ["black", "white"]) {
      for (const name of position.stones[colour]) circle(name, "stone " + colour, 7.2);
    }
    const before = moveBefore();
    if (!line && before && cellOf.has(before.move)) circle(before.move, "latest", 3.4);
    if (line) {
      let colour = line.colour;
      line.cells.slice(0, line.shown).forEach((name, number) => {
        circle(name, `stone line ${colour}`, 7.2);
        label(name, number + 1, "on-" + colour);
        taken.add(name);
        colour = other(colour);
      });
    } else if (layerName() === "numbers") {
      game.moves.slice(0, at).forEach((move) => {
        if (position.stones[move.colour].includes(move.move)) {
          label(move.move, move.number, "on-" + move.colour);
        }
      });
    }
    drawOverlay(position, taken);
  }

  function x(index) {
    return LEFT + (index / Math.max(1, game.positions.length - 1)) * (width - LEFT - RIGHT);
  }

  function y(chance) {
    return TOP + (1 - chance) * (HEIGHT - TOP - BOTTOM);
  }

  function drawCurve() {
    const curve = byId("curve");
    width = Math.max(280, curve.clientWidth); // so that text has its size on a phone, too
    curve.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    curve.replaceChildren();
    const points = game.positions.map((p, i) => `${x(i).toFixed(1)} ${y(p.black_chance).toFixed(1)}`);
    const end = x(game.positions.length - 1).toFixed(1);
    shape("path", { class: "area", d: `M${LEFT} ${y(0)}L${points.join("L")}L${end} ${y(0)}Z` }, curve);
    shape("path", { class: "half", d: `M${LEFT} ${y(0.5)}H${width - RIGHT}` }, curve);
    shape("path", { class: "line", d: "M" + points.join("L") }, curve);
    for (const [share, text] of [[1, "100%"], [0.5, "50%"], [0, "0%"]]) {
      shape("text", { x: 2, y: y(share) + 4 }, curve).textContent = text;
    }
    const step = [1, 2, 5, 10, 20, 50, 100].find((n) => (n / game.moves.length) * width > 50) ?? 1000;
    for (let number = 0; number <= game.moves.length; number += step) {
      shape("text", { x: x(number) - 4, y: HEIGHT - 5 }, curve).textContent = number;
    }
    for (const move of game.moves) {
      if (!move.turning_point) continue;
      const index = Math.min(move.number, game.positions.length - 1);
      const classes = ["turn"];
      if (move.proven) classes.push("proven");
      if (move.number === game.losing_move) classes.push("lost");
      const dot = { class: classes.join(" "), cx: x(index), cy: y(game.positions[index].black_chance), r: 5 };
      shape("title", {}, shape("circle", dot, curve)).textContent = verdict(move);
    }
    shape("path", { class: "now", d: `M${x(at).toFixed(1)} ${TOP}V${HEIGHT - BOTTOM}` }, curve);
    curve.setAttribute("aria-valuemax", game.positions.length - 1);
    curve.setAttribute("aria-valuenow", at);
    curve.setAttribute("aria-valuetext", `move ${at}, ${percent(game.positions[at].black_chance)}`);
  }

  function showLines() {
    byId("lines").replaceChildren(
      ...variations().map((variation) => {
        const active = line !== null && line.name === variation.name;
        const made = button(variation.name, () => follow(active ? null : variation));
        made.setAttribute("aria-pressed", String(active));
        return made;
      }),
    );
  }

  // The players with their colours at this position, which swap-sides exchanges.
  function showPlayers() {
    const swaps = game.moves.slice(0, at).filter((move) => move.move === "swap-sides").length;
    const [first, second] = swaps % 2 ? ["white", "black"] : ["black", "white"];
    byId("players").replaceChildren(
      element("span", "", `dot ${first}`), element("span", game.players.black + " "),
      element("span", "", `dot ${second}`), element("span", game.players.white),
    );
  }

  function show() {
    showPlayers();
    const before = moveBefore();
    const position = game.positions[line ? line.from : at];
    let caption = before ? verdict(before) : "Start";
    if (line) caption = `${line.name} (${line.shown} of ${line.cells.length}); Escape returns to the game`;
    else if (position.proven) caption += `; ${position.proven} wins (proven)`;
    byId("move").textContent = caption;
    drawn.picture.setAttribute("aria-label", `Board after move ${at}. ${caption}`);
    const sentences = before && before.why && !(line && line.from === at && !before.why) ? before.why.sentences : [];
    byId("why").replaceChildren(...sentences.map((sentence) => element("li", sentence)));
    byId("hexworld").hidden = !(before && before.link);
    if (before && before.link) byId("hexworld").href = before.link;
    const end = game.positions.length - 1;
    byId("first").disabled = byId("back").disabled = !line && at === 0;
    byId("forward").disabled = byId("last").disabled = line ? line.shown === line.cells.length : at === end;
    byId("moves").querySelectorAll("button").forEach((made, number) => {
      if (number === at - 1) made.setAttribute("aria-current", "step");
      else made.removeAttribute("aria-current");
    });
    showLines();
    drawBoard();
    drawCurve();
  }

  function go(to) {
    line = null;
    at = Math.min(Math.max(to, 0), game.positions.length - 1);
    show();
  }

  function follow(variation) {
    line = variation && { ...variation, shown: 1 };
    if (line && line.carrier.length) document.querySelector("input[value=carrier]").checked = true;
    show();
  }

  // Steps through the variation if one is shown, else through the game.
  function step(by) {
    if (!line) return go(at + by);
    line.shown = Math.min(line.shown + by, line.cells.length);
    if (line.shown < 1) line = null;
    show();
  }

  function turn(by) {
    const numbers = game.moves.filter((move) => move.turning_point).map((move) => move.number);
    const next = by > 0 ? numbers.find((n) => n > at) : numbers.filter((n) => n < at).pop();
    if (next !== undefined) go(next);
  }

  function listMoves() {
    byId("moves").replaceChildren(
      ...game.moves.map((move) => {
        const item = document.createElement("li");
        const made = button("", () => go(move.number));
        made.append(element("span", String(move.number), "number"), move.move);
        made.className = move.grade.replace(" ", "-");
        made.title = verdict(move);
        item.append(made);
        return item;
      }),
    );
  }

  function listTurns() {
    const found = game.moves.filter((move) => move.turning_point);
    byId("turns").replaceChildren(
      ...found.map((move) => {
        const item = document.createElement("li");
        item.append(button(verdict(move), () => { go(move.number); byId("curve").scrollIntoView(); }));
        const list = element("ul", "", "notes");
        list.append(...move.why.sentences.map((sentence) => element("li", sentence)));
        item.append(list);
        return item;
      }),
    );
    if (!found.length) byId("turns").replaceChildren(element("li", "None: no move gave the lead away.", "none"));
  }

  function listAccuracy() {
    byId("accuracy").replaceChildren(
      ...["black", "white"].map((colour) => {
        const row = document.createElement("tr");
        const head = element("th", game.players[colour], "text");
        head.scope = "row";
        row.append(head);
        for (const phase of ["all", "opening", "middle", "ending"]) {
          const share = game.accuracy[colour][phase];
          row.append(element("td", share === null ? "" : percent(share)));
        }
        return row;
      }),
    );
  }

  let sgfUrl = "";
  function choose(number) {
    game = data.games[number];
    board = data.boards[game.board];
    cellOf = new Map(board.names.map((name, cell) => [name, cell]));
    drawn = emptyBoard(board);
    byId("board-box").replaceChildren(drawn.picture);
    byId("title").textContent = `${game.players.black} – ${game.players.white}`;
    const lost = game.moves.find((move) => move.number === game.losing_move);
    byId("lead").textContent = lost
      ? `${game.players[lost.player]} lost with move ${lost.number}, ${lost.move}.`
      : "No move is known to have lost the game.";
    byId("note").hidden = !game.note;
    byId("note").textContent = game.note;
    URL.revokeObjectURL(sgfUrl);
    sgfUrl = URL.createObjectURL(new Blob([game.sgf], { type: "application/x-go-sgf" }));
    byId("sgf").href = sgfUrl;
    byId("sgf").download = "game.sgf";
    listMoves();
    listTurns();
    listAccuracy();
    go(game.losing_move ?? game.positions.length - 1);
  }

  byId("first").addEventListener("click", () => go(0));
  byId("back").addEventListener("click", () => step(-1));
  byId("forward").addEventListener("click", () => step(1));
  byId("last").addEventListener("click", () => (line ? step(Infinity) : go(Infinity)));
  byId("previous-turn").addEventListener("click", () => turn(-1));
  byId("next-turn").addEventListener("click", () => turn(1));
  document.querySelectorAll("input[name=layer]").forEach((input) => {
    input.addEventListener("change", drawBoard);
  });
  byId("curve").addEventListener("click", (event) => {
    const box = byId("curve").getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * width;
    go(Math.round(((place - LEFT) / (width - LEFT - RIGHT)) * (game.positions.length - 1)));
  });
  addEventListener("keydown", (event) => {
    const actions = {
      ArrowLeft: () => step(-1), ArrowRight: () => step(1),
      ArrowUp: () => turn(-1), ArrowDown: () => turn(1),
      Home: () => go(0), End: () => go(Infinity), Escape: () => go(at),
    };
    const busy = ["SELECT", "INPUT"].includes(event.target.tagName);
    if (busy || event.ctrlKey || event.metaKey || event.altKey || !(event.key in actions)) return;
    const within = event.target.closest && event.target.closest("#viewer, #curve");
    if (event.key.startsWith("Arrow") && /Up|Down/.test(event.key) && !within) return;
    event.preventDefault();
    actions[event.key]();
  });
  addEventListener("resize", drawCurve);
  if (byId("game-choice")) {
    byId("game-choice").addEventListener("change", () => choose(Number(byId("game-choice").value)));
  }
  byId("review").hidden = false;
  choose(0);
})();
