/** The looks of a receipt: on a screen, light or dark, and on paper. */
export const RECEIPT_STYLE = `
:root { color-scheme: light dark; --paper: #fbfaf8; --panel: #fff; --ink: #211f1b; --muted: #665f55; --line: #e3dfd7;
  --good: #1c6b34; --bad: #a8201a; --warn: #7d4e00; --add: #e6f5e8; --del: #fdecea; --mark: #fcf0d6; }
@media (prefers-color-scheme: dark) { :root { --paper: #171614; --panel: #1f1d1a; --ink: #ece8e1; --muted: #a79f93;
  --line: #34302b; --good: #85d19a; --bad: #ff9d92; --warn: #efbf6a; --add: #17291c; --del: #321b19; --mark: #3a2d14; } }
body { background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; margin: 0; }
main { margin: 0 auto; max-width: 56rem; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; letter-spacing: -0.015em; line-height: 1.25; margin: 0.25rem 0 0.75rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2.5rem 0 0.75rem; }
h3 { align-items: baseline; display: flex; flex-wrap: wrap; font-size: 0.95rem; gap: 0.15rem 0.6rem; margin: 0; }
h3 code { flex: 1; min-width: 12rem; }
p { margin: 0.4rem 0; overflow-wrap: anywhere; white-space: pre-line; }
code, pre, .hash { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.82rem; overflow-wrap: anywhere; }
.kind, dt, .muted { color: var(--muted); }
.kind { font-size: 0.85rem; }
section { background: var(--panel); border: 1px solid var(--line); border-left: 4px solid var(--line); border-radius: 8px;
  margin: 0 0 0.75rem; padding: 0.8rem 1rem; }
.success { border-left-color: var(--good); } .failure { border-left-color: var(--bad); }
.overall { border: 1px solid; border-radius: 99px; display: inline-block; font-weight: 600; margin: 0 0 0.75rem;
  padding: 0.05rem 0.75rem; }
.success > h3 .state, .completed { color: var(--good); } .failure > h3 .state, .failed { color: var(--bad); }
.partial { color: var(--warn); } .skipped { color: var(--muted); }
.state { font-weight: 600; }
dl { display: grid; gap: 0.15rem 1.25rem; grid-template-columns: max-content minmax(0, 1fr); margin: 0.5rem 0 0; }
dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
details { margin-top: 0.5rem; }
summary { cursor: pointer; }
pre { background: var(--paper); border: 1px solid var(--line); border-radius: 6px; line-height: 1.5; margin: 0.5rem 0 0;
  padding: 0.6rem 0; white-space: pre-wrap; }
pre > span { display: block; min-height: 1.5em; padding: 0 0.8rem; }
.added { background: var(--add); } .removed { background: var(--del); } .head { color: var(--muted); }
mark { background: var(--mark); border-radius: 3px; color: var(--warn); font-weight: 600; }
@media (max-width: 34rem) { dl { grid-template-columns: minmax(0, 1fr); } dd { margin-bottom: 0.3rem; } }
@media print { body { background: none; } section { break-inside: avoid; } }
`;
