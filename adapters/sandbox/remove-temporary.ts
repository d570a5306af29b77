import { rmSync } from "node:fs";
import { systemCode } from "../../store/files/system-code.ts";

/** Remove a folder with temporary files. A command may leave folders that only the system can remove: those are kept. */
export function removeTemporary(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (systemCode(error) === "") throw error;
  }
}
