// Returns the drawing of a board, and the layer in which to draw what changes.
function emptyBoard(board) {
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
  return { picture, layer: shape("g", {}, picture) };
}
