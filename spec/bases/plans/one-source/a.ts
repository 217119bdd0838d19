export function f() {
  void 1;
  void 2;
  return 1;
}
