"""The article on an encoder from scratch in JAX and Haiku: the words of a poem, one post-norm block of four heads."""

from dataclasses import replace

from encoder_core.config import EncoderConfig
from encoder_core.recipes.example import Example, vocabulary_of
from encoder_core.recipes.recipe import Note, Recipe

# Arthur Rimbaud, Le Dormeur du val (1870).
POEM = """C'est un trou de verdure où chante une rivière
Accrochant follement aux herbes des haillons
D'argent ; où le soleil, de la montagne fière,
Luit : c'est un petit val qui mousse de rayons.

Un soldat jeune, bouche ouverte, tête nue,
Et la nuque baignant dans le frais cresson bleu,
Dort ; il est étendu dans l'herbe, sous la nue,
Pâle dans son lit vert où la lumière pleut.

Les pieds dans les glaïeuls, il dort. Souriant comme
Sourirait un enfant malade, il fait un somme :
Nature, berce-le chaudement : il a froid.

Les parfums ne font pas frissonner sa narine ;
Il dort dans le soleil, la main sur sa poitrine
Tranquille. Il a deux trous rouges au côté droit."""

# The article shows what "it" attends to in this sentence in a trained model.
SENTENCE = "The black cat jumped on the sofa, lied down and fell asleep, as it was tired"

INTENDED = EncoderConfig(
    vocab_size=len(vocabulary_of(POEM)),
    max_len=64,
    d_model=64,
    num_heads=4,
    d_ff=256,
    num_layers=1,
    norm="post",
    norm_eps=1e-6,
    activation="gelu_tanh",
    positions="sinusoidal",
    position_layout="interleaved",
    qkv_bias=False,
)
WRITTEN = replace(INTENDED, position_frequencies="dimensions")

ARTICLE = Recipe(
    name="article",
    title="A Transformer encoder from scratch with JAX and Haiku",
    library="dm-haiku",
    description="The words of a poem as ids, embeddings with sinusoids, multi-head attention with separate W_Q, W_K "
    "and W_V for each head, and a GELU feed-forward network: one post-norm block.",
    source="https://towardsdatascience.com/implementing-a-transformer-encoder-from-scratch-with-jax-and-haiku-791d31b4f0dd",
    variants={"as intended": INTENDED, "as written": WRITTEN},
    example=Example(
        32, 10, "words", None, "32 stretches of 10 words of the poem, from random offsets; no mask", text=POEM
    ),
    figures_seq=20,
    notes=(
        Note(
            "No sine has a cosine",
            "Dimensions 2i and 2i + 1 are the sine and the cosine of one angle, pos / 10000^(2i / d_model).",
            "The code uses the dimension itself instead of i: dimension j has the angle pos / 10000^(2j / d_model). "
            "Frequencies fall twice as fast, and no two dimensions share one, so the dot product of two positions does "
            "not depend on their distance alone.",
            as_intended=INTENDED,
            as_written=WRITTEN,
            tensor="position_encoding",
        ),
        Note(
            "The width of a head",
            "The text gives d_k = n_heads / embed_dim, which would be 4 / 64.",
            "The code computes embed_dim / n_heads = 64 / 4 = 16, as intended.",
            rows=("dk-ratio",),
        ),
        Note(
            "No biases on queries, keys and values",
            "Queries, keys and values are products with W_Q, W_K and W_V; no bias is added.",
            "The code does the same: W_Q, W_K and W_V are matrices without biases, one for each head. All other linear "
            "layers have biases.",
        ),
    ),
)
