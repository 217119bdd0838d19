/** Work that may still be done; below 0 it is given up, and no verdict since then counts. */
export interface Budget {
  left: number;
}
