#include "device.hpp"
#include KERNEL_FILE

static void batched(int batch, int rows, int cols) {
  Array in(batch * rows * cols), out(batch * rows * cols);
  in.count();
  const int tiles = ((rows + 31) / 32) * ((cols + 31) / 32);
  // one block too many: it must return
  launch(dim3(batch * tiles + 1), dim3(256), [&] { transpose_batched(in, out, batch, rows, cols); });
  for (int b = 0; b < batch; ++b) for (int r = 0; r < rows; ++r) for (int c = 0; c < cols; ++c)
    expect(out[(b * cols + c) * rows + r], in[(b * rows + r) * cols + c]);
  out.print("transpose_batched");
}

static void blocked(int rows, int cols) {
  const int padded = (rows + 31) / 32 * 32;
  Array in(rows * cols), out(padded * cols);
  in.count();
  launch(dim3(padded / 32 * (cols / 32)), dim3(256), [&] { transpose_blocked(in, out, rows, cols, padded); });
  int at = 0;
  for (int block = 0; block < padded / 32; ++block) for (int c = 0; c < cols; ++c) for (int lane = 0; lane < 32; ++lane) {
    const int r = block * 32 + lane;
    expect(out[at++], r < rows ? in[r * cols + c] : 0);
  }
  out.print("transpose_blocked");
}

int main() {
  batched(2, 64, 96);
  batched(3, 33, 31);
  batched(1, 1, 70);
  blocked(64, 64);
  blocked(45, 96);
  blocked(1, 32);
  return right();
}
