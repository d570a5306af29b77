#!/usr/bin/env node
import { startProcess } from "./program.ts";

await startProcess("signalbox-roo");
