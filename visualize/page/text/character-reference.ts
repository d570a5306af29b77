/**
 * Decode a named character reference of HTML, such as `amp`, as markdown needs it; `false` for an unknown name. The built
 * page has it in place of a table of all names: the browser knows them. Names have letters and digits only.
 */
export function decodeNamedCharacterReference(name: string): string | false {
  if (!/^[a-z\d]+$/i.test(name)) return false;
  const reference = `&${name};`;
  const element = document.createElement("textarea");
  element.innerHTML = reference;
  const { value } = element;
  // A browser decodes the known beginning of a longer name.
  const isWhole = !value.endsWith(";") || name === "semi";
  return isWhole && value !== reference ? value : false;
}
