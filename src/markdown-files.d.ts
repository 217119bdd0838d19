/** A Markdown file of ours, as text: the build puts it into the program. */
declare module '*.md' {
  const text: string;
  export default text;
}
