//! From mathematical integers to 32- and 64-bit instructions: widths and division-free forms.
