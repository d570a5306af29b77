import { z } from "zod";
import { lineProblem } from "../journal/line.ts";
import { type Line, LineSplitter } from "../journal/line-splitter.ts";

/** The beginning of a journal whose lines were checked and are whole: a journal only grows. */
export interface CheckedPart {
  readonly bytes: number;
  readonly lines: number;
  /** The model of the last request in it: `provider/id`. */
  readonly model?: string;
}

export interface JournalCheck {
  readonly checked: CheckedPart;
  /** The reason why the records after a line are unusable. A torn end is no damage. */
  readonly damage?: string;
}

export const NOTHING_CHECKED: CheckedPart = { bytes: 0, lines: 0 };

/**
 * Check that the lines of a journal are whole and in order, from a checked part on. Parses only records with a model.
 *
 * @param chunks the bytes after that part
 * @throws errors of reading them
 */
export async function checkJournal(
  chunks: AsyncIterable<Uint8Array>,
  from: CheckedPart,
): Promise<JournalCheck> {
  const check = new LineCheck(from);
  const lines = new LineSplitter();
  for await (const chunk of chunks)
    for (const line of lines.push(chunk)) {
      check.add(line);
      if (check.damage !== undefined) return { checked: check.checked, damage: check.damage };
    }
  return { checked: check.checked };
}

/** Checks lines one after the other. An invalid one is damage once a whole one follows it. */
class LineCheck implements JournalCheck {
  checked: CheckedPart;
  damage?: string;
  #invalid: string | undefined;

  constructor(checked: CheckedPart) {
    this.checked = checked;
  }

  add({ bytes, length }: Line): void {
    const { lines } = this.checked;
    const problem = lineProblem(bytes);
    if (this.#invalid !== undefined) {
      if (problem === undefined) this.damage = `${this.#invalid}, and whole records follow it`;
      return;
    }
    const where = `line ${lines + 1}`;
    const seq = problem === undefined ? seqIn(bytes) : undefined;
    if (problem !== undefined) this.#invalid = `${where}: ${problem}`;
    else if (seq !== undefined && seq !== lines)
      this.damage = `${where}: expected record ${lines}, found record ${seq}`;
    else {
      const model = modelIn(bytes) ?? this.checked.model;
      const checked = { bytes: this.checked.bytes + length, lines: lines + 1 };
      this.checked = model === undefined ? checked : { ...checked, model };
    }
  }
}

const MODEL = Buffer.from('"model":{');
const modelSchema = z.object({
  facts: z.object({ model: z.object({ provider: z.string(), id: z.string() }) }),
});

/** The model that a record selects. */
function modelIn(line: Line["bytes"]): string | undefined {
  if (!Buffer.from(line.buffer, line.byteOffset, line.byteLength).includes(MODEL)) return undefined;
  const { data } = modelSchema.safeParse(JSON.parse(Buffer.from(line).toString()));
  return data && `${data.facts.model.provider}/${data.facts.model.id}`;
}

/** Bytes of a line that have its checksum and its number. */
const HEAD_BYTES = 64;
const SEQ = /^\{"crc":"[0-9a-f]{8}","seq":(\d+),/;

/** The number of the record in a line, where it is its first field. */
function seqIn(line: Line["bytes"]): number | undefined {
  const [, digits] = SEQ.exec(line.subarray(0, HEAD_BYTES).toString()) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
