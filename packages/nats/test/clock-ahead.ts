/** Loaded before a program: its clock is two hours ahead. */
const now = Date.now;
Date.now = () => now() + 7_200_000;
