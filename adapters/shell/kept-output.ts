import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import path from "node:path";
import { PRIVATE_FILE } from "../../store/files/index.ts";
import { sayError, wholeEnd, wholeStart } from "../../tools/index.ts";

export interface KeepOptions {
  /** The most bytes that are held in memory: half of the head, half of the tail. */
  readonly maxBytes: number;
  /** Where the whole goes once it is longer; nowhere by default. */
  readonly file?: string;
  /** The most bytes of that file. */
  readonly maxFileBytes: number;
}

/** What a command wrote: its head and its tail in memory, and the whole in a file if it is longer. */
export interface KeptOutput {
  add(chunk: Uint8Array): void;
  /** Closes the file. */
  end(): { readonly output: string; readonly wholeOutput?: string };
}

/**
 * Keeps output within bounds. The file is made when the output grows over `maxBytes`, with what came before.
 * It is written synchronously, so that a fast writer is slowed down instead of filling the memory.
 */
export function keepOutput(options: KeepOptions): KeptOutput {
  const headMax = Math.ceil(options.maxBytes / 2);
  const tailMax = Math.floor(options.maxBytes / 2);
  const head: Uint8Array[] = [];
  const tail: Uint8Array[] = [];
  let headSize = 0;
  let tailSize = 0;
  let total = 0;
  let file: WholeFile | undefined;

  const addTail = (chunk: Uint8Array): void => {
    tail.push(chunk);
    tailSize += chunk.length;
    for (let first = tail[0]; first && tailSize - first.length >= tailMax; first = tail[0]) {
      tail.shift();
      tailSize -= first.length;
    }
  };
  return {
    add(chunk) {
      if (file === undefined && options.file !== undefined && total + chunk.length > options.maxBytes) {
        file = openWhole(options.file, options.maxFileBytes);
        for (const part of [...head, ...tail]) file.write(part);
      }
      file?.write(chunk);
      total += chunk.length;
      const room = headMax - headSize;
      if (room > 0) {
        head.push(chunk.subarray(0, room));
        headSize += Math.min(room, chunk.length);
      }
      if (chunk.length > room) addTail(chunk.subarray(Math.max(0, room)));
    },
    end() {
      const whole = file?.end();
      const note = whole?.note === undefined ? "" : `\n[${whole.note}]`;
      const output = joined(Buffer.concat(head), Buffer.concat(tail), total, tailMax) + note;
      return { output, ...(whole?.kept === undefined ? {} : { wholeOutput: whole.kept }) };
    },
  };
}

function joined(head: Buffer, tail: Buffer, total: number, tailMax: number): string {
  if (total === head.length + Math.min(tail.length, tailMax)) return Buffer.concat([head, tail]).toString();
  const end = wholeEnd(head, head.length);
  const start = wholeStart(tail, tail.length - tailMax);
  const cut = total - end - (tail.length - start);
  return `${head.toString("utf8", 0, end)}\n[... ${cut} bytes cut ...]\n${tail.toString("utf8", start)}`;
}

interface WholeFile {
  write(chunk: Uint8Array): void;
  end(): { readonly kept?: string; readonly note?: string };
}

function openWhole(name: string, maxBytes: number): WholeFile {
  let descriptor: number | undefined;
  let note: string | undefined;
  let size = 0;
  const guarded = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      note = `The whole output could not be kept: ${sayError(error)}`;
    }
  };
  guarded(() => {
    mkdirSync(path.dirname(name), { recursive: true });
    descriptor = openSync(name, "wx", PRIVATE_FILE);
  });
  return {
    write(chunk) {
      const open = descriptor;
      if (open === undefined || note !== undefined) return;
      const part = chunk.subarray(0, maxBytes - size);
      guarded(() => {
        for (let done = 0; done < part.length; ) done += writeSync(open, part, done);
      });
      size += part.length;
      if (part.length < chunk.length) note = `The kept output ends at ${maxBytes} bytes`;
    },
    end() {
      const open = descriptor;
      if (open !== undefined) guarded(() => closeSync(open));
      return { ...(open === undefined ? {} : { kept: name }), ...(note === undefined ? {} : { note }) };
    },
  };
}
