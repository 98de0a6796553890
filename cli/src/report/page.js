// Draws the curves and the Gantt charts of `midrun report`. Without it the page has the same figures as SVG and tables.
"use strict";
(() => {
  const runs = JSON.parse(document.getElementById("data").textContent).runs;
  const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const palette = () => ["--time", "--mark", "--ideal", "--other", "--wait", "--fg"].map(colour);
  const seconds = s => s == null ? "-" : s >= 0.1 ? s.toPrecision(4) + " s" : s >= 1e-3 ? (s * 1e3).toPrecision(3) + " ms" : (s * 1e6).toFixed(0) + " us";
  const drawn = [];

  const axes = value => [
    { stroke: colour("--fg"), grid: { stroke: colour("--grid") }, incrs: [1, 2, 5].flatMap(step => [0, 1, 2, 3, 4, 5, 6].map(power => step * 10 ** power)).sort((a, b) => a - b) },
    { stroke: colour("--fg"), grid: { stroke: colour("--grid") }, size: 80, values: (_, ticks) => ticks.map(value) },
  ];

  // Dashed lines at the decisions; the text of the nearest one under the chart.
  const marks = (list, note) => ({ hooks: {
    draw: [u => {
      const { ctx, bbox } = u;
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = colour("--mark");
      ctx.setLineDash([4, 3]);
      for (const mark of list) {
        const x = u.valToPos(mark.x, "x", true);
        if (x < bbox.left || x > bbox.left + bbox.width) continue;
        ctx.beginPath(); ctx.moveTo(x, bbox.top); ctx.lineTo(x, bbox.top + bbox.height); ctx.stroke();
        ctx.fillText(mark.n, x + 3, bbox.top + 10);
      }
      ctx.restore();
    }],
    setCursor: [u => {
      const near = list.filter(mark => Math.abs(u.valToPos(mark.x, "x") - u.cursor.left) < 8);
      note.textContent = near.map(mark => `decision ${mark.n}: ${mark.text}: ${mark.verdict}`).join("; ");
    }],
  } });

  const plot = (figure, run, series, value, list, height, range) => {
    const note = document.createElement("div");
    note.className = "note";
    const holder = document.createElement("div");
    figure.querySelector("svg")?.remove();
    figure.prepend(holder, note);
    const u = new uPlot({
      width: figure.clientWidth || 600, height, axes: axes(value), plugins: [marks(list, note)],
      scales: { x: { time: false }, y: { range } }, cursor: { drag: { x: true, y: false } },
      series: [{ label: run.unit }, ...series.map(one => ({ label: one.label, stroke: one.stroke, spanGaps: false, value: (_, v) => v == null ? "-" : value(v), points: { show: one.data.length < 60 } }))],
    }, [run.x, ...series.map(one => one.data)], holder);
    drawn.push(() => u.setSize({ width: figure.clientWidth || 600, height }));
  };

  const fromZero = (_, least, most) => [0, most > 0 ? most * 1.05 : 1];
  const aroundOne = (_, least, most) => [Math.min(1, least ?? 1), Math.max(1.05, (most ?? 1) * 1.02)];

  runs.forEach((run, number) => {
    const section = document.querySelector(`section.run[data-run="${number}"]`);
    const curve = section.querySelector("figure.curve");
    if (curve) {
      const series = [{ label: "time", data: run.time, stroke: colour("--time") }];
      if (run.ideal.some(v => v != null)) series.push({ label: "ideal", data: run.ideal, stroke: colour("--ideal") });
      plot(curve, run, series, seconds, run.marks, 260, fromZero);
      const ratio = section.querySelector("figure.ratio");
      if (run.ratio.some(v => v != null)) plot(ratio, run, [{ label: "time / ideal", data: run.ratio, stroke: colour("--time") }], v => v.toFixed(2), run.marks, 150, aroundOne);
    }
    const chart = section.querySelector("figure.gantt");
    if (chart && run.gantt) gantt(chart, run.gantt);
  });

  const together = document.getElementById("together");
  if (together) {
    const xs = [...new Set(runs.flatMap(run => run.x))].sort((a, b) => a - b);
    const series = runs.map((run, at) => {
      const byX = new Map(run.x.map((x, place) => [x, run.time[place]]));
      return { label: run.name, data: xs.map(x => byX.get(x)), stroke: palette()[at % 6] };
    });
    plot(together, { unit: "window", x: xs }, series, seconds, [], 240, fromZero);
  }

  function gantt(figure, { rows, bars, merged, applied }) {
    const canvas = document.createElement("canvas"), note = document.createElement("div");
    canvas.className = "chart"; note.className = "note";
    figure.prepend(canvas, note);
    const left = 110, row = Math.max(9, Math.min(22, 700 / Math.max(rows.length, 1))), bottom = 22;
    let begin = Infinity, end = -Infinity;
    for (const list of bars) for (const [at, length] of list) { begin = Math.min(begin, at); end = Math.max(end, at + length); }
    if (!(end > begin)) { note.textContent = "The recording holds no work of ranks."; return; }
    const whole = [begin, end];
    let shown = [...whole], width = 600;
    const toX = s => left + (s - shown[0]) / (shown[1] - shown[0]) * (width - left);
    const toS = x => shown[0] + (x - left) / (width - left) * (shown[1] - shown[0]);
    const draw = () => {
      width = figure.clientWidth || 600;
      const height = rows.length * row + bottom, ratio = devicePixelRatio || 1;
      canvas.width = width * ratio; canvas.height = height * ratio; canvas.style.height = height + "px";
      const c = canvas.getContext("2d");
      c.scale(ratio, ratio);
      c.font = `${Math.min(11, row)}px sans-serif`;
      const [work, master] = [colour("--time"), colour("--wait")];
      rows.forEach((name, at) => {
        c.globalAlpha = 1; c.fillStyle = colour("--fg"); c.fillText("rank " + name, 0, at * row + row * .8, left - 6);
        c.fillStyle = name.endsWith("iterations") ? master : work;
        for (const [from, length, share] of bars[at]) {
          if (from + length < shown[0] || from > shown[1]) continue;
          const x = Math.max(toX(from), left), to = Math.min(toX(from + length), width);
          c.globalAlpha = .15 + .85 * share / 100;
          c.fillRect(x, at * row + 1, Math.max(to - x - (to - x > 3 ? .5 : 0), .4), row - 2);
        }
      });
      c.globalAlpha = 1; c.strokeStyle = colour("--mark"); c.setLineDash([4, 3]);
      for (const at of applied) { const x = toX(at); if (x >= left && x <= width) { c.beginPath(); c.moveTo(x, 0); c.lineTo(x, rows.length * row); c.stroke(); } }
      c.fillStyle = colour("--fg");
      for (let tick = 0; tick <= 5; tick++) {
        const s = shown[0] + tick / 5 * (shown[1] - shown[0]);
        c.textAlign = tick === 5 ? "right" : "left"; c.fillText(seconds(s - whole[0]), toX(s), rows.length * row + 15);
      }
      c.textAlign = "left";
    };
    const zoom = (at, factor) => {
      const length = Math.min((shown[1] - shown[0]) * factor, whole[1] - whole[0]);
      const share = (at - shown[0]) / (shown[1] - shown[0]);
      move(at - share * length, length);
    };
    const move = (from, length) => {
      from = Math.max(whole[0], Math.min(from, whole[1] - length));
      shown = [from, from + length]; draw();
    };
    canvas.addEventListener("wheel", e => { e.preventDefault(); zoom(toS(e.offsetX), e.deltaY > 0 ? 1.25 : .8); }, { passive: false });
    canvas.addEventListener("dblclick", () => { shown = [...whole]; draw(); });
    let held = null;
    canvas.addEventListener("pointerdown", e => { held = e.offsetX; canvas.setPointerCapture(e.pointerId); });
    canvas.addEventListener("pointerup", () => { held = null; });
    canvas.addEventListener("pointermove", e => {
      if (held != null) { const by = toS(held) - toS(e.offsetX); held = e.offsetX; move(shown[0] + by, shown[1] - shown[0]); return; }
      const at = Math.floor(e.offsetY / row), s = toS(e.offsetX);
      const bar = (bars[at] || []).find(([from, length]) => s >= from && s <= from + length);
      note.textContent = bar ? `rank ${rows[at]}: ${bar[3] == null ? "" : (merged > 1 ? "from " : "") + "no. " + bar[3] + ", "}${bar[4]} done in ${seconds(bar[1])}, ${bar[2]} % busy` : "";
    });
    draw();
    drawn.push(draw);
  }

  let waits = 0;
  addEventListener("resize", () => { cancelAnimationFrame(waits); waits = requestAnimationFrame(() => drawn.forEach(again => again())); });
  document.documentElement.dataset.drawn = drawn.length;
})();
