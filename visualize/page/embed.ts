import { z } from "zod";
import "./style/index.css";

// Where a page's policy forbids to make code of text, zod would only be told so.
z.config({ jitless: true });

export * from "./index.ts";
