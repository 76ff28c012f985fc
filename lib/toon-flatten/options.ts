/** How keys are joined. */
export interface FlattenOptions {
  /**
   * What becomes of a key that holds a dot: `decline` (default) refuses the whole document, `underscore`
   * writes an underscore for each dot, which no one can take back.
   */
  dots?: 'decline' | 'underscore'
}
