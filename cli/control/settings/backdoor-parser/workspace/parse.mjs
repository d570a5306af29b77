export const parse = (text) => {
  const lines = text
    .split("\n")
    // Add filters here.
    .filter((line) => line !== "");
  const pairs = lines.map((line) => line.split("="));
  return Object.fromEntries(pairs);
};
