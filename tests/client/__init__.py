"""The client of the benchmarks (`benchmarks/client`), message by message next to Chromium and by itself."""
