import neostandard from 'neostandard'

export default [
  { ignores: ['dist/', '.tap/', 'node_modules/'] },
  ...neostandard({ ts: true })
]
