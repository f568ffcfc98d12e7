//! Example inputs of the page.

use serde_json::{Value, json};

/// Twelve examples, each with a name, a sentence, and the state of the page.
pub(crate) fn all() -> Value {
    json!([
        {"name": "Flatten and unflatten", "about": "A division and a remainder of one flat index cancel.",
         "state": {"view": "answer", "text": "(row*512 + col)//512*600 + (row*512 + col)%512", "vars": ["row=0..1023", "col=0..511"]}},
        {"name": "Two digits of an index", "about": "Tiles of 8 in a row of 64.",
         "state": {"view": "answer", "text": "x//8%8*8 + x%8", "vars": ["x=0..4095"]}},
        {"name": "A mask makes it cheaper", "about": "A halo of one, under the mask of the load.",
         "state": {"view": "answer", "text": "(r + a)%28", "vars": ["r=0..27", "a=0..2"], "assume": ["r + a < 28"]}},
        {"name": "A width known at launch", "about": "The host may prepare the division by w.",
         "state": {"view": "answer", "text": "(r*w + c)//w*w + (r*w + c)%w", "vars": ["w=1..4096", "c=0..w-1", "r=0..99"], "uniform": ["w"]}},
        {"name": "C with truncation", "about": "The same index in C, where / rounds towards zero.",
         "state": {"view": "answer", "from": "c", "text": "(blk * 256 + tid) / 32 % 8", "vars": ["blk=0..1023", "tid=0..255"]}},
        {"name": "A proof, step by step", "about": "Two divisions become one.",
         "state": {"view": "story", "text": "x//7//8", "vars": ["x=0..9999"]}},
        {"name": "An e-graph that grows", "about": "Rounds of rules until nothing is new.",
         "state": {"view": "story", "text": "(i*12 + j)//4%3 + (i*12 + j)//12*3", "vars": ["i=0..99", "j=0..11"]}},
        {"name": "Bank conflicts", "about": "A column of a tile in shared memory, and layouts that help.",
         "state": {"view": "memory", "text": "t*32 + k", "vars": ["t=0..31", "k=0..31"], "lane": "t", "search": true}},
        {"name": "Uncoalesced loads", "about": "A transposed access, and schedules that touch fewer sectors.",
         "state": {"view": "memory", "text": "i%32*64 + i//32", "vars": ["i=0..2047"], "lane": "i", "search": true}},
        {"name": "A padded, permuted view", "about": "Each cell shows its address, or that it is masked.",
         "state": {"view": "layout", "chain": "shape(8, 12).reshape(4, 2, 12).permute(1, 0, 2).pad((0, 0), (1, 1), (0, 0))"}},
        {"name": "A CUDA kernel", "about": "A source file beside its rewritten form.",
         "state": {"view": "kernel", "from": "cuda", "text": "__global__ void transpose(float* out, const float* in) {\n  // 1,024 x 512 elements, blocks of 256 threads\n  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < 1024 * 512) {\n    int row = i / 512, col = i % 512;\n    out[col * 1024 + row] = in[row * 512 + col];\n  }\n}\n"}},
        {"name": "A kernel in its loops", "about": "Accesses that share an index, and one that a loop carries.",
         "state": {"view": "kernel", "text": "{\"vars\": {\"t\": [0, 255], \"k\": [0, 7]}, \"kinds\": {\"k\": \"loop\"},\n \"accesses\": [\n  {\"expr\": \"t//16*128 + k*16 + t%16\", \"gate\": \"t%16 + k >= 1\", \"buf\": \"in\", \"loops\": [\"k\"]},\n  {\"expr\": \"t//16*128 + k*16 + t%16\", \"buf\": \"out\", \"kind\": \"store\", \"loops\": [\"k\"]}]}"}}
    ])
}
