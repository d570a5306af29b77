import { EXCEPTIONS, packagePrograms, placeOf, unusedRefusals } from "./unused-refusals.ts";

/** Print the results that can refuse and that nothing uses, and the exceptions that no place needs. */
const found = unusedRefusals(packagePrograms());
const places = new Set(found.map(placeOf));
const faults = [
  ...found
    .filter((each) => !EXCEPTIONS.has(placeOf(each)))
    .map(
      ({ file, line, text }) => `${file}:${line}: expected the use of a result that can refuse, got: ${text}`,
    ),
  ...[...EXCEPTIONS.keys()]
    .filter((place) => !places.has(place))
    .map((place) => `test/refusals/unused-refusals.ts: expected no exception without a place, got: ${place}`),
];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
