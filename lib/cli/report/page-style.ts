/** The style sheet of the page, for light and dark screens. */
export const PAGE_STYLE = `:root { --ground: #fff; --text: #1b1f24; --dim: #57606a; --line: #d0d7de; --rest: #eaeef2; --bytes: #2563c9; --tokens: #c2570c }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14171b; --text: #e6e9ec; --dim: #9aa4ae; --line: #363c44; --rest: #272c33; --bytes: #6ea8fe; --tokens: #f0a35e }
}
body { margin: 2rem auto; padding: 0 1rem; max-width: 80rem; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
.note, .legend { color: var(--dim) }
.scroll { overflow-x: auto }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap }
.number { text-align: right }
.chart { margin: 0; padding: 0; list-style: none; font-size: .875rem; font-variant-numeric: tabular-nums }
.chart li { display: grid; grid-template-columns: minmax(8rem, 1fr) 2fr 4.5rem; column-gap: .6rem; align-items: center; padding: .3rem 0; border-bottom: 1px solid var(--line) }
.name { grid-row: 1 / span 2; overflow-wrap: anywhere }
.track { grid-column: 2; height: .7rem; background: linear-gradient(to right, var(--rest) var(--track), transparent var(--track)) }
.bar, .key { display: block; height: 100% }
.key { display: inline-block; width: .8rem; height: .8rem }
.bytes { background: var(--bytes) }
.tokens { background: var(--tokens) }
.share { grid-column: 3; text-align: right }
`
