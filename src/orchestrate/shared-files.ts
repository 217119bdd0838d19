/** Whether two tasks write the same, by what their `<files>` say. A folder holds what is below it. */
export function writeTheSame(one: readonly string[], other: readonly string[]): boolean {
  return one.some((path) => other.some((each) => path === each || holds(path, each) || holds(each, path)));
}

function holds(folder: string, path: string): boolean {
  return folder === '.' || path.startsWith(`${folder}/`);
}
