import { testQuickProofs } from "./quick.ts";

testQuickProofs(0, "tested");
